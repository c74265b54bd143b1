/** Words by which the mood of an answer is counted, about equally many of each mood. They were chosen before the vectors were made. */
export const cheerfulWords = [
  ..."amazing beautiful blessed bright celebrate charming cheerful delicious delight delighted delightful enchanting".split(
    " ",
  ),
  ..."enjoy enjoying excited exciting fantastic friendly fun glad glorious grateful great happiness happy hope hopeful".split(
    " ",
  ),
  ..."joy joyful joyous laugh laughed laughter lovely love loving magical merry peaceful perfect pleasant pleasure proud".split(
    " ",
  ),
  ..."smile smiled smiling sunny sunshine thrilled thrilling vibrant warm warmth welcome wonderful".split(
    " ",
  ),
] as const;

export const gloomyWords = [
  ..."afraid agony alone anger anguish ashes awful bitter bleak broken cold cruel cry cursed dark darkness dead death".split(
    " ",
  ),
  ..."decay despair desolate die died dread dreadful dying empty fear forgotten gloomy grave grief grim haunted".split(
    " ",
  ),
  ..."hopeless horrible horror hurt lonely lost miserable misery mourning pain painful ruin ruined sad sadness scars".split(
    " ",
  ),
  ..."shadow shadows sorrow suffering tears terrible tragedy wound".split(" "),
] as const;
