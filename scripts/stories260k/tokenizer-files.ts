/** Turns llama2.c's tokenizer into the files that Hugging Face's tokenizers read. */

export interface VocabularyPiece {
  readonly score: number;
  /** With a space where SentencePiece has `▁`; bytes are written `<0x00>`. */
  readonly text: string;
}

const special = { unknown: 0, begin: 1, end: 2 } as const;
const specialNames = ["<unk>", "<s>", "</s>"] as const;
const firstPiece = 259;

/** All tokens in the order of their ids. @throws RangeError when the file ends inside a token. */
export function readVocabularyPieces(bytes: Uint8Array): VocabularyPiece[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const pieces: VocabularyPiece[] = [];
  for (let position = 4; position < bytes.length; ) {
    const score = view.getFloat32(position, true);
    const length = view.getInt32(position + 4, true);
    const end = position + 8 + length;
    if (length < 0 || end > bytes.length)
      throw new RangeError(`Token ${pieces.length} ends beyond the file.`);
    pieces.push({ score, text: decoder.decode(bytes.subarray(position + 8, end)) });
    position = end;
  }
  return pieces;
}

/** A piece's text in `tokenizer.json`. */
function pieceText(piece: VocabularyPiece, id: number): string {
  return specialNames[id] ?? (id < firstPiece ? piece.text : piece.text.replaceAll(" ", "▁"));
}

/**
 * Every way to split a piece into two pieces. llama2.c merges any neighbours whose joined text is a piece, best score
 * first; a table of merges does the same when it lists all splits of the better pieces before those of the others.
 */
function mergesOf(pieces: readonly VocabularyPiece[]): [string, string][] {
  const texts = pieces.map(pieceText);
  const known = new Set(texts.slice(firstPiece));
  const order = pieces
    .map((piece, id) => ({ score: piece.score, id }))
    .slice(firstPiece)
    .sort((a, b) => b.score - a.score || a.id - b.id);
  return order.flatMap(({ id }) => {
    const characters = Array.from(texts[id] ?? "");
    return characters
      .slice(1)
      .map((_, i): [string, string] => [
        characters.slice(0, i + 1).join(""),
        characters.slice(i + 1).join(""),
      ])
      .filter(([left, right]) => known.has(left) && known.has(right));
  });
}

/** `tokenizer.json`: byte-pair encoding with byte fallback, a space before the text, `<s>` only with special tokens. */
export function tokenizerJson(pieces: readonly VocabularyPiece[]): object {
  const begin = specialNames[special.begin];
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: specialNames.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: "Sequence",
      normalizers: [
        { type: "Prepend", prepend: "▁" },
        { type: "Replace", pattern: { String: " " }, content: "▁" },
      ],
    },
    pre_tokenizer: null,
    post_processor: {
      type: "TemplateProcessing",
      single: [{ SpecialToken: { id: begin, type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
      pair: [
        { SpecialToken: { id: begin, type_id: 0 } },
        { Sequence: { id: "A", type_id: 0 } },
        { SpecialToken: { id: begin, type_id: 1 } },
        { Sequence: { id: "B", type_id: 1 } },
      ],
      special_tokens: { [begin]: { id: begin, ids: [special.begin], tokens: [begin] } },
    },
    decoder: {
      type: "Sequence",
      decoders: [
        { type: "Replace", pattern: { String: "▁" }, content: " " },
        { type: "ByteFallback" },
        { type: "Fuse" },
        { type: "Strip", content: " ", start: 1, stop: 0 },
      ],
    },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: specialNames[special.unknown],
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: true,
      byte_fallback: true,
      ignore_merges: false,
      vocab: Object.fromEntries(pieces.map((piece, id) => [pieceText(piece, id), id])),
      merges: mergesOf(pieces),
    },
  };
}

/** Joins what the messages say; text parts of a list of parts count, others do not. */
const chatTemplate =
  "{{ bos_token }}{% for message in messages %}" +
  "{% if message['content'] is string %}{{ message['content'] }}" +
  "{% elif message['content'] %}{% for part in message['content'] %}" +
  "{% if part['type'] == 'text' %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}{% endfor %}";

export function tokenizerConfig(maximumLength: number): object {
  return {
    tokenizer_class: "LlamaTokenizer",
    add_bos_token: true,
    add_eos_token: false,
    bos_token: specialNames[special.begin],
    eos_token: specialNames[special.end],
    pad_token: specialNames[special.end],
    unk_token: specialNames[special.unknown],
    clean_up_tokenization_spaces: false,
    legacy: true,
    model_max_length: maximumLength,
    chat_template: chatTemplate,
  };
}

export function specialTokensMap(): object {
  const [unknown, begin, end] = specialNames;
  return { bos_token: begin, eos_token: end, pad_token: end, unk_token: unknown };
}
