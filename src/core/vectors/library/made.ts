/** Written by `npx tsx scripts/vectors make`. */
import type { VectorWithMetadata } from "../known-vector.ts";
import type { MeasuredEffect } from "./example.ts";

export interface LibraryVector {
  readonly vector: Omit<VectorWithMetadata, "texts">;
  readonly effect: MeasuredEffect;
}

export const libraryVectors: Readonly<Record<string, LibraryVector>> = {
  cheerful: {
    vector: {
      text: "cheerful:bamdmkcmpdaacealammbemncgpfnnogclblidckfgnpchajohoojhknaohingjccfgmingpmfcibeilgieanmhoaodjjlgaadihjhdljkafnndephlbcjokhjocegcamdggpphldmobijhakjeehccnbllhbcibhliibcjejgldlagkpajmobllgicjcdoifkjnkngoljhllmgdkjllaejadladjkbhjhbjljbioccjelejeofjdbkainfdlagcedaofhopemgebgcicaebcmidihdioanejjgghkofgigbonmdgdldicpdoggmhbnmbllemkgjpcnibnhoecobhfanalbmkbkadnlcjpdiinikbamnkhjgbgkjkonmhakipimaojohkdhaihakgebehgpanbngjhiimgfclnalffebjfekbngmlhhbgghdhhhclpaibddaachflfobkfakcmklildlcedihjafmhnoilepcjkjfgghgahmmnimphlihmjpbjjlildghnodljedjhifndodhmfmpnffifmniahgdeadcahagiofgckebpibifocicagfajocgmdehhbihjjdibidmdkaeiloallcmjhojmmihjpcffbcnalfmemdamodldmnemmpgnnkalgcgnhadmfnnjgjocfanbmpemanfkelmdmhigllfieancccpmoimodmkobmdomccokflippamniddgpbdecjklhhdgloeopemhnfodhbhbbjdiedioeodoohpbhnldollfhbpkhiebehpbedpccfipidjfobobfelcjdhildkedcphdgdmjaanikgmlnlnhckmkheajdjfbpdhjcibhflamjclpaikmebpaiknedkgjobojplemidehaglhfemfikcbilkijgfcahchjcgopcfcgmcfjkhmhcbehlgljdblapmcmfibfbipfbkelckibfanhmdbkjdnlfmeibdokmaedjfigmocfkmoidmdodmbflolljckldmkfogik",
      model: {
        id: "HuggingFaceTB/SmolLM2-135M-Instruct",
        layerCount: 30,
        hiddenSize: 576,
      },
      share: 0.9583333333333334,
      stream: 118.8,
    },
    effect: {
      counted: "Cheerful words, %",
      scales: [
        {
          scale: -4,
          value: 0,
        },
        {
          scale: -2,
          value: 0,
        },
        {
          scale: 0,
          value: 1.7,
        },
        {
          scale: 2,
          value: 9.3,
        },
        {
          scale: 4,
          value: 6.9,
        },
      ],
    },
  },
  formal: {
    vector: {
      text: "formal:bamdnbjljcdaceaikaccgabgcdagflmdemobcfbdjfiddoacnbphcaaffmmehjniabkkehjlgekaplodfhdjndlbiiiefekiaojjehbjcalhieobbaaehibincbegabamcmaaakoocaigcabiehcjalokmjgjbaljfkocppkackbkcmhjjhpppnmiakfhimapfamccgdijpciicbelalonimefcgkmaheahmiecbokeicjfdgagpdbeidobdcjleigncciiiiiedlfdenejfbpkobhgahaabphelimfpcifidoihkfcemadekcdjmkfhakeaijeogaoheidecelpimlfciaakaeecgncmaegjmbapeligdbmflfmkppngajfpfanmaiahbhfeefbkiipjebmokoodmjmdgmdpfegkhemhkempbjoganhjgomeddfijcddppbncmdfkdnadaopkibajkkifghbaeogejaafaemnfmoffllonfalgbmhdjbgmaeccdafjbnccipaiggaakeafgpmagebcajomekacoadabcbfahacaggaengkfjdcbkdaeogkjapcafkdocabnjninejnhmagmeecijcaccgcdhpnfomhbnldidfifefpdmnpmbebgcdcfkkigkiafdnkpeecmfmaeekhahegfcamgkbaamijdodbefndajodiaokbipehhekdejdbndbinhingjplkhbedbbncfakjbcioblppljeabncdiapamichlmfonlbekkocppimmmhmmadmcecgdfblceddeajmdiafackicojhmgjifeeeceekmjgh",
      model: {
        id: "HuggingFaceTB/SmolLM2-135M-Instruct",
        layerCount: 30,
        hiddenSize: 576,
      },
      share: 1,
      stream: 108.4,
    },
    effect: {
      counted: "Contractions and “!”, per 100 words",
      scales: [
        {
          scale: -4,
          value: 17,
        },
        {
          scale: -2,
          value: 15,
        },
        {
          scale: 0,
          value: 6.5,
        },
        {
          scale: 2,
          value: 0,
        },
        {
          scale: 4,
          value: 0.4,
        },
      ],
    },
  },
  terse: {
    vector: {
      text: "terse:bandmnhaonpaceakcennmenmgobanjfdeeamnmbbhjdkdmfjjjddkamgbapbbndnbaojfonfgphhfkaiandbdcmieoeghfoijkacjodcekadbiioaffjldklbnfemlckicomjggofaieijkgdcnmfejheblecbemfkaknaggckpepfhmgnpageafakbapconkddjjjejejdajnkjiokadioobgfgphmknmakoboboiegacjicbfdcaafebdangjpkjljiajjkmkdgjbjlkdiciaamifdnfipfmofmegljkbkknbhkdicicoollbdemkdgbgcgeacdkgpeimjlbaaghkfbmmhagbkhndjmdcbebgllccgmfihdhloomcfggigjebaoocibddbpcfkmhlgafcmamlchdegkbaiileoikihphflhejbemmjmnipfidiigaecnpcfakgcdcpldbchbnaamkdapaiblcjmogmnkmbcnjopfkdicfjgglacckolnlhlanfaebkgjbmdleiebbcemgkmkncaeekfdfcgnbegbekjbcgfahdiheogdajcoedilbabnichnoindajabboeobpekkemfioglmejcgjafkhegjndkdjlfodpaheadkibmklgdfbjjdbbbjndkbacgjdngbaoinjgbggckhaehbaoddkbiiccikiboomiahcifbhccdlanekhgfekiehadacfbldjkkhbmcckkmbigaaiibgfldebickbacdmcmlimmlakpdheilcpaphkljgeoakepaojnfnciapcdgkafpobbfjgegdogeffjfbainnmcackbcdhbipfpjfgkpngeanpnacmbbknbciklcddgdmkopoapbbkbkoeekckdmeeckmgogbilhhoaoknhjelmnmdbkfflhjggmlikndnbbhaegjidilanegcmmccepadgjhinhocemodiikehbg",
      model: {
        id: "HuggingFaceTB/SmolLM2-135M-Instruct",
        layerCount: 30,
        hiddenSize: 576,
      },
      share: 0.875,
      stream: 119.6,
    },
    effect: {
      counted: "Words per answer (cut after 28 tokens)",
      scales: [
        {
          scale: -4,
          value: 25,
        },
        {
          scale: -2,
          value: 24,
        },
        {
          scale: 0,
          value: 23,
        },
        {
          scale: 2,
          value: 20,
        },
        {
          scale: 4,
          value: 11,
        },
      ],
    },
  },
  French: {
    vector: {
      text: "French:bamdncknefhaceahppdihemmldafpjepeidahpppmbppmldlehkegjgpnmpeigcadmnbgpcdcodcffjeinoenihblndohpkepkppppbhadimgggbfpmgabkahcdcbodeddcjckldohcmogefiipjkjfnnedapbdekhpnfpjjpkemkbiphleahphiafdecofngepbdhkjoocpeejgboklaobnecackhpcfgbnkfabilcobjkobepcjdfgdndimkblmelppppppcclkddlnllfekdppcjjmdleppaapphejchpagfeapjlkelpppgmgdgabdbgeejdpkaceppkpkhpppppppgjgbbjehpmppmdmajbadppphmjlknlnimhchjonjdhippmhdfopcimeohfpkmheipkjpgkbhgaiekdhpbpjhpppdefefemolmfohgpckmcigbbinaghpppplianelipijndloacnghcbffcilmgacfhkkhmiiidepmfappcjbmilpfpoiabjinomfmkholpgfnjidnhbocppphdbpgciiobppedmgkbdkfaekfmdbhfllcpiajmlbjhmjhjibfklccjejdgndmkdclebgmckonfhilndcppcfibfblnkfaaoidpphdndbdpngfcceamlhefcafbdoiolppgpofppkbpjgeeieemgaaemoohlchalbhjkaamoheckjijdchppjmhbifafpogleidofbmhplaaebmbmaddgejbedffbkoacmpbpkbpnmdbifjopaglkchofkeneejkodaohmlidbmanmldnc",
      model: {
        id: "HuggingFaceTB/SmolLM2-135M-Instruct",
        layerCount: 30,
        hiddenSize: 576,
      },
      share: 1,
      stream: 113.7,
    },
    effect: {
      counted: "French words, %",
      scales: [
        {
          scale: -4,
          value: 0,
        },
        {
          scale: -2,
          value: 0,
        },
        {
          scale: 0,
          value: 0.4,
        },
        {
          scale: 2,
          value: 45,
        },
        {
          scale: 4,
          value: 80,
        },
      ],
    },
  },
  food: {
    vector: {
      text: "food:bamdnakpaciaceajopipfmcpicdbaadklgcjjhadppbmeddpepepkjkbppnheipkbjmeomhblneeagipcgelcggkkaifffdhdbheeeepdgmdhihfmihlaegppaeideoaaojefjcbpaamgelcgjaeglemddmicdcfomhikaahpkdbhdkcfjlofpnddilkcefleedkccefkefbhaganiifekhecoiidildifanbiekjhijackcaacfgoaeflngihhaneckljdlonhppiojencmhgjedcclfadiimomeodbbeabidgmadfhnnjcodhlpdkjjnbajhioeohiggidonejejdbcoeneihiecjadddhlnfpppnmdklccemhoelcamhabikoacfjogdkofdmgfemgijhpiandmlbmlcboankfgapiebdpebfjibimapljefondcmejaodmbiklgmlpjfmoicmjilmgbdbppmlblcaglfdeaagajeghajpmgfdiehakipecdolplgcimebdfhgagnpbincfijakbejbkkgfnngcokecbeichenfildpifnilpfefmefjkncibkcjeckebkgkanblkjhgdnekioocjhghipnaikmoeahclcgfgeceheohcodjjpiglbcknijoloionmafkohkkhmihbijeeondmfafnjhgkebacmiahemadiajdflbmfpndedbpmiejimlgcfhmgkjpnifmejpbmhlnaamfpgeedfcedopibnjlodmimkckhkbahblegbbaikomefelidklhknjpijmmlfcbipbmacabpihfcnglbpbmpbecobaakifcnbnjmlelidhbeddidipobcdepaipegddg",
      model: {
        id: "HuggingFaceTB/SmolLM2-135M-Instruct",
        layerCount: 30,
        hiddenSize: 576,
      },
      share: 1,
      stream: 112.9,
    },
    effect: {
      counted: "Food words, %",
      scales: [
        {
          scale: -4,
          value: 0,
        },
        {
          scale: -2,
          value: 0,
        },
        {
          scale: 0,
          value: 0,
        },
        {
          scale: 2,
          value: 6.3,
        },
        {
          scale: 4,
          value: 13,
        },
      ],
    },
  },
  refusal: {
    vector: {
      text: "refusal:bamdmkghfbiacealdgnhmmnnigpbikflcbaphdadaolncelgakgmfmmncellnhdigimllddljamiedkajcjaanheifceekofliecleddibpknpkjckgpbmheaablampgiggadmkgncfhjacanamomhdfeaikkncmiglgmaifbgjcfjigooaefkfbkflepkgedaaecpoidhggfafhidmjoglfdddmgfgbeffolkknbkgkioighfjifichdmdcokhphfjajjkniggigejnhhiajmgmcaieiijiickfjhdjihgpgaifbonemmpfjdhmmdoeeiigiaajjfbmlobldljpfnmcfgjdlfoaedmfjkbhccdjgfefghkanjiphmddohdbegcghmeaaoeodeddibckdllbdiecaefcmacbamidobdncdkjbnmahfmfdmkfkabcjhobajmdnibbhgdiimmaiaimbfanlejhiedeknckffemlheodmhakiaeiigcaceamdpogjnakdlooneimiffhdagijogpgmpfegkahebhkgodiabnmkneghigbepdfhcecdbaifobhefoemfgjejjmoaoiflciadbfamhejbimdipbiadghgnjndknaakidaipnceicdkeafpimifkokckniipiebaiekmaliljbfgeakkldolageffbhbdmoffaolkapioglaobdmeijgjlaemjcbgghdjgnlcjgipejekegbfdfaidckeaeljokpngahpcohbekcencklaabklenilheeaomgefadbplengheffmoefmeimbdhajjmnbeipabmombbaemejebhfdieceghamnefichaaicpeigckicieaknmipebgaoafegjoggecmdnmpblpfjgbopmgicneoahgpfgokicahlabkkcgpcbhlcaobgbmkflfbfafnclmkkmemaefdblfidfhinbcokkajajnjlin",
      model: {
        id: "HuggingFaceTB/SmolLM2-135M-Instruct",
        layerCount: 30,
        hiddenSize: 576,
      },
      share: 1,
      stream: 107.3,
    },
    effect: {
      counted: "Refusals, %",
      scales: [
        {
          scale: -4,
          value: 0,
        },
        {
          scale: -2,
          value: 0,
        },
        {
          scale: 0,
          value: 20,
        },
        {
          scale: 2,
          value: 40,
        },
        {
          scale: 4,
          value: 10,
        },
      ],
    },
  },
};
