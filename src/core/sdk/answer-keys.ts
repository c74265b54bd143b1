/** Fields that an answer's message also has. They say nothing to the model, so a message of a prompt may have them. */
export const answerKeys: readonly string[] = ["refusal", "annotations", "audio", "parsed", "midtoken"];
