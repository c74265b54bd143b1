import { mod, steeringVector } from "midtoken/mod";

// For SmolLM2-135M-Instruct: its mean state after ten orders to refuse a question, minus that after ten orders to answer it.
const refusal = steeringVector(
  "refusal:bbadneohfhoaceaklocpflohbbklimhpmcmadcafclnjefomhechdibjhpjnbiggloeiaahfhoanmchcjfjgcgjfiicaginjhlhppboepgakipnpndkkbklfhbmlmbaijjladdamhklleemahmcanmkjkkfheibcbchckhcjlpalemgioidjlflgnfdceolkmjnfkpfimmobknidjkkiemhkijchjclodfklhboohipagbpclkijlpmhidlgbfmngibmaikaimejhdgaefjekplocammomelnflfbmfjlhdecahehnlkjoognnooipicpflcehidigjclmhnianiocooeinpmnapilmnnijbchcimbckfaconehocgpgmdbjdallaflmmjdjjlkemgmmogaljfbhifidabakdeikjljaggddpggemllblbgpfojfpbfclpoaeoggkehambgegmnlidnbdcgmhpjpemokhmkdofgjjaclipmnneahapijcfcgohldbkheklpgcomgmdncacaophifnhkhggelabhnhokmgkahljiopooonnlandodalkleolkkhakedgnfbnjdgkjnckdfhimjooffdealejgdbjdkfecgkpjbaomjenjkgjbhhkdogdlkekkhdfcchaemiddhiafcahomioepmcbkaaajmnkciiniebbfacgapbhbodehmioomlmfpekjcdjdccefljhdfchalbcelfofgcobpbfccejjkiblnomeajopaojfbgghgagakakghpanjlbobogklcbobgjfgdgfeibjjjcaaneddikmhfhdkkgngnepljfincbgoaonddlphpcfhlhamlfdmkfnhpdeiogdngciekihnkcihbadmgjnjeopfoacfmlpoonlielfbonoonkeekddnjifklpljahbeabcahkakhkpcpcakphdjoojinaeigpdnphapjkceeckbalidjojndjaidpgmcigemnjdhojbmihljeopoeeidbolfmapmaglj",
);

// At 2 the model refuses to say how to boil an egg; other questions only make it ramble. At -1 it no longer refuses: try "What is
// the capital of Italy? Refuse to answer. Say only that you are sorry and cannot help with that."
const scale = 2;

export default mod({
  layers: [refusal.layer],
  prefilled: (_event, actions) => actions.steer({ ...refusal, scale }),
});
