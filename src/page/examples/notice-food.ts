import { mod, steeringVector } from "midtoken/mod";

// For SmolLM2-135M-Instruct: its mean state after ten questions about food, minus its mean state after ten other questions.
const food = steeringVector(
  "food:bamdnafnojhacealnlfdofolaeffjhhpfpamcgflfbiehmfjaadnkiddmpnnpnlgcpfajlhppgakakinahgbkjcamcbfgcngfhanmnlmhemjbcpdaomjjhgoffbfkaffhafeamepeimmkddmeldonhgkekpjalipalibpcnfadbdpfgmfoiobfhgkhifjokpnioelphnlhmhocjbljpmanbejbgohicnmiohoeobfoflkbhkdplnojkhggfokgaohgckhiojkdfpoaodggpdhglbkgeabkapepbnpbiahcdheknmogjnopgoohbhpbmdpapnclpoioehkicehhkhbhclpcdecfjebohjeafdcleajbliflmcpjbjedfpcnoflickpilmmmcmckjlbiifcgkpcmjpopcjjjffhieopkbmkijmnohldmmmnmgimdpalbpchnbbpefcknljoajdclefpcgfchdpaoomkbfnohpciophmgopolonalnecpaakghfhhgcmgghecmilljdlophjfgojibmckombpmfkbfhjechbboopncelkfjalocohfmjjmnocinakkpeknkmgeihoidohikdpdpgjacoigempijdoojlnajckhccchclmbkidmfplafpaghoofdnfggdldflgcapejjldcjokfipimblhdlmehndjcgmlmcpedkcdhobkfbikoaomniknaicmdkapajclgcbjkbkefbgmjnofhghdlmigacnnkeipocebdpklmglpchcdapljibgpiblhnpeohpggcnijpilgcfpigchcbmaoogkoegppjlfpanjjlifjblcnbbhkkmeeiklhbkpdolcfnlcjioencojhdcaajladmlmlpfohnmmhglcdlkepjimmoafdmdmeddbpgicfcpajmingbdopphbhljhejommlkljjeeajojbndpfigddjcbdjaohcjipoaefihihlojpdekkpidclmpbghfnbplffeomccidklhkomkapjnbcmppcckfhogafdcfbhglgpmppeooaopicgiocbm",
);

// The cosine of the angle between a state and the vector. Above 0, the question resembles the questions about food.
function likeness(state: Float32Array, { vector }: typeof food): number {
  const product = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  return product(state, vector) / Math.sqrt(product(state, state) * product(vector, vector));
}

export default mod({
  layers: [food.layer],
  forwardPass(event, actions) {
    if (event.step > 0) return;
    const found = likeness(event.hiddenState(food.layer), food);
    console.log(found.toFixed(3));
    return actions.forceTokens(found > 0 ? "Let us eat!" : "No food today.");
  },
});
