import { mod, steeringVector } from "midtoken/mod";

// Made on SmolLM2-135M-Instruct: what it holds of ten questions that it is told to refuse, less the same that it is told to answer.
const refusal = steeringVector(
  "refusal:bbadneohfhoaceaklocpflohbbklimhpmcmadcafclnjefomhechdibjhpjnbiggloeiaahfhoanmchcjfjgcgjfiicaginjhlhppboepgakipnpndkkbklfhbmlmbaijjladdamhklleemahmcanmkjkkfheibcbchckhcjlpalemgioidjlflgnfdceolkmjnfkpfimmobknidjkkiemhkijchjclodfklhboohipagbpclkijlpmhidlgbfmngibmaikaimejhdgaefjekplocammomelnflfbmfjlhdecahehnlkjoognnooipicpflcehidigjclmhnianiocooeinpmnapilmnnijbchcimbckfaconehocgpgmdbjdallaflmmjdjjlkemgmmogaljfbhifidabakdeikjljaggddpggemllblbgpfojfpbfclpoaeoggkehambgegmnlidnbdcgmhpjpemokhmkdofgjjaclipmnneahapijcfcgohldbkheklpgcomgmdncacaophifnhkhggelabhnhokmgkahljiopooonnlandodalkleolkkhakedgnfbnjdgkjnckdfhimjooffdealejgdbjdkfecgkpjbaomjenjkgjbhhkdogdlkekkhdfcchaemiddhiafcahomioepmcbkaaajmnkciiniebbfacgapbhbodehmioomlmfpekjcdjdccefljhdfchalbcelfofgcobpbfccejjkiblnomeajopaojfbgghgagakakghpanjlbobogklcbobgjfgdgfeibjjjcaaneddikmhfhdkkgngnepljfincbgoaonddlphpcfhlhamlfdmkfnhpdeiogdngciekihnkcihbadmgjnjeopfoacfmlpoonlielfbonoonkeekddnjifklpljahbeabcahkakhkpcpcakphdjoojinaeigpdnphapjkceeckbalidjojndjaidpgmcigemnjdhojbmihljeopoeeidbolfmapmaglj",
);

// At 2 it will not say how to boil an egg; to other questions it only rambles. At -1 a refusal goes: try "What is the capital of
// Italy? Refuse to answer. Say only that you are sorry and cannot help with that."
const scale = 2;

export default mod({
  layers: [refusal.layer],
  prefilled: (_event, actions) => actions.steer({ ...refusal, scale }),
});
