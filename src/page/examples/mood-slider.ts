import { mod, steeringVector } from "midtoken/mod";

// For SmolLM2-135M-Instruct: its mean state over twelve cheerful sentences, minus its mean state over twelve gloomy sentences.
const cheerful = steeringVector(
  "cheerful:baodndiglpiacealiodabdjimioeahmkmgdkpmcnccopigcdikjmaddignngmamnbdmkohfleoncjdpdkmihhmachamhooiephcplfifchfdapffhonekbcondcpiegmnaaopjamjdcmocgjfenepedbipkaknoapgkcnhdbdpcloncknomclickheiknbdcefangjokfncpdhgljapllbnkoahmenlahhlkcpoimdhpjbcfcialdldnbaofhcdngceabnbbpoiamhnliohdffnhjclgbjabopfcjheoajpkfeknpjcakflplgjooihiboakhbpbdiocmlpamhllhodfekfaiccibljjjbcdlccmgodfkmgehnhipkcdmniihmcemjhcfcgfgbdmidokdkdfnidpapnbgdijmlopjkoplpkepbbfabidfcadgbejineefobhbijfgcjlaoljiiamcjffkofebpgmnicificdngfldgcanjpdheacpngobhfmlnbpmfmcdnkjegblfinnooamhbphhmapidkdkpbcnilkhjnefofonpjccfcklmolbpcbfenembnmpihoogofecpgkpbnkeahclpgefokfbfmelamihnmdobbkcokjnbcopaoapbegmikaoeaigopklcmkacleoildfjfihnmkmopnphoeildkbeljhgadkfepbepcoeoaabbaeibaagkemkjomfcjhmfjnineccbhjnbpfhidmdlhjlgdchbfledklmagkcelfdflhjdoahiloejflgnjjnfjbdilcdilcpbkgoambecnjnfkhmodfimbmdmgdlmpleikphhofjlcgnolifggbmkjodihkpilodjmpdnkpiiopphkdkieopgfjkjmcblbiipddfgnnjomkbkhpggohibfohenilnjmbcnomnpkhfhgakaomdpilllhnjobalecomcfdpabfpeaogdbcjfpfoiecdfnjfamkofbafffagccigohfbffmjcgnlbdiclpccnjhgapmdfjnggg",
);
const from = -1.25;
const to = 1.25;
const tokens = 60;

// The scale rises with every token: the answer begins gloomy and ends cheerful.
export default mod({
  layers: [cheerful.layer],
  prefilled: (_event, actions) => actions.steer({ ...cheerful, scale: from }),
  added(event, actions) {
    const share = Math.min(event.step / tokens, 1);
    return actions.steer({ ...cheerful, scale: from + share * (to - from) });
  },
});
