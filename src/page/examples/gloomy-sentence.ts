import { mod, requestState, steeringVector } from "midtoken/mod";

// For SmolLM2-135M-Instruct: its mean state over twelve cheerful sentences, minus its mean state over twelve gloomy sentences.
const cheerful = steeringVector(
  "cheerful:baodndiglpiacealiodabdjimioeahmkmgdkpmcnccopigcdikjmaddignngmamnbdmkohfleoncjdpdkmihhmachamhooiephcplfifchfdapffhonekbcondcpiegmnaaopjamjdcmocgjfenepedbipkaknoapgkcnhdbdpcloncknomclickheiknbdcefangjokfncpdhgljapllbnkoahmenlahhlkcpoimdhpjbcfcialdldnbaofhcdngceabnbbpoiamhnliohdffnhjclgbjabopfcjheoajpkfeknpjcakflplgjooihiboakhbpbdiocmlpamhllhodfekfaiccibljjjbcdlccmgodfkmgehnhipkcdmniihmcemjhcfcgfgbdmidokdkdfnidpapnbgdijmlopjkoplpkepbbfabidfcadgbejineefobhbijfgcjlaoljiiamcjffkofebpgmnicificdngfldgcanjpdheacpngobhfmlnbpmfmcdnkjegblfinnooamhbphhmapidkdkpbcnilkhjnefofonpjccfcklmolbpcbfenembnmpihoogofecpgkpbnkeahclpgefokfbfmelamihnmdobbkcokjnbcopaoapbegmikaoeaigopklcmkacleoildfjfihnmkmopnphoeildkbeljhgadkfepbepcoeoaabbaeibaagkemkjomfcjhmfjnineccbhjnbpfhidmdlhjlgdchbfledklmagkcelfdflhjdoahiloejflgnjjnfjbdilcdilcpbkgoambecnjnfkhmodfimbmdmgdlmpleikphhofjlcgnolifggbmkjodihkpilodjmpdnkpiiopphkdkieopgfjkjmcblbiipddfgnnjomkbkhpggohibfohenilnjmbcnomnpkhfhgakaomdpilllhnjobalecomcfdpabfpeaogdbcjfpfoiecdfnjfamkofbafffagccigohfbffmjcgnlbdiclpccnjhgapmdfjnggg",
);
const sentences = requestState(() => 0);

// Steers the second sentence away from cheer: from the token that ends the first sentence to the token that ends the second. The
// rest is not steered, but the model reads its own text and may go on in that tone.
export default mod({
  layers: [cheerful.layer],
  added(event, actions) {
    if (!/[.!?]\s*$/.test(event.text)) return;
    sentences.current += 1;
    if (sentences.current === 1) return actions.steer({ ...cheerful, scale: -1.5 });
    if (sentences.current === 2) return actions.steer(null);
  },
});
