import { mod, steeringVector } from "midtoken/mod";

// Made on SmolLM2-135M-Instruct: the mean of twelve cheerful sentences less that of twelve gloomy ones.
const cheerful = steeringVector(
  "cheerful:baodndiglpiacealiodabdjimioeahmkmgdkpmcnccopigcdikjmaddignngmamnbdmkohfleoncjdpdkmihhmachamhooiephcplfifchfdapffhonekbcondcpiegmnaaopjamjdcmocgjfenepedbipkaknoapgkcnhdbdpcloncknomclickheiknbdcefangjokfncpdhgljapllbnkoahmenlahhlkcpoimdhpjbcfcialdldnbaofhcdngceabnbbpoiamhnliohdffnhjclgbjabopfcjheoajpkfeknpjcakflplgjooihiboakhbpbdiocmlpamhllhodfekfaiccibljjjbcdlccmgodfkmgehnhipkcdmniihmcemjhcfcgfgbdmidokdkdfnidpapnbgdijmlopjkoplpkepbbfabidfcadgbejineefobhbijfgcjlaoljiiamcjffkofebpgmnicificdngfldgcanjpdheacpngobhfmlnbpmfmcdnkjegblfinnooamhbphhmapidkdkpbcnilkhjnefofonpjccfcklmolbpcbfenembnmpihoogofecpgkpbnkeahclpgefokfbfmelamihnmdobbkcokjnbcopaoapbegmikaoeaigopklcmkacleoildfjfihnmkmopnphoeildkbeljhgadkfepbepcoeoaabbaeibaagkemkjomfcjhmfjnineccbhjnbpfhidmdlhjlgdchbfledklmagkcelfdflhjdoahiloejflgnjjnfjbdilcdilcpbkgoambecnjnfkhmodfimbmdmgdlmpleikphhofjlcgnolifggbmkjodihkpilodjmpdnkpiiopphkdkieopgfjkjmcblbiipddfgnnjomkbkhpggohibfohenilnjmbcnomnpkhfhgakaomdpilllhnjobalecomcfdpabfpeaogdbcjfpfoiecdfnjfamkofbafffagccigohfbffmjcgnlbdiclpccnjhgapmdfjnggg",
);
const from = -1.25;
const to = 1.25;
const tokens = 60;

// The scale rises with every token: the answer begins in gloom and ends in cheer.
export default mod({
  layers: [cheerful.layer],
  prefilled: (_event, actions) => actions.steer({ ...cheerful, scale: from }),
  added(event, actions) {
    const share = Math.min(event.step / tokens, 1);
    return actions.steer({ ...cheerful, scale: from + share * (to - from) });
  },
});
