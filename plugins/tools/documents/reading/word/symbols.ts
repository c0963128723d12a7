/** The first of the private characters that represent the codes of a font of symbols. */
const PRIVATE = 0xf000

/** Returns the characters of a table from a code on; a space is a code without a character. */
const tableFrom = (first: number, characters: string): [code: number, character: string][] =>
  [...characters].flatMap((character, index) => (character === ' ' ? [] : [[first + index, character]]))

const SYMBOL = new Map([
  ...tableFrom(0x21, '!∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_'),
  ...tableFrom(0x61, 'αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼'),
  ...tableFrom(0xa0, '€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|—↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑'),
  ...tableFrom(0xf1, '〉∫'),
])

const WINGDINGS = new Map([
  ...tableFrom(0x21, '✏✂✁    ☎✆✉'),
  ...tableFrom(0x36, '⌛⌨'),
  ...tableFrom(0x3f, '✍✎✌   ☜☞☝☟ ☺😐☹💣☠  ✈☼ ❄ ✞ ✠✡☪☯'),
  ...tableFrom(0x6c, '●❍■□ ❑❒⬧⧫◆❖⬥☒ ⌘'),
  ...tableFrom(0x80, '⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿'),
  ...tableFrom(0x9e, '·•'),
  ...tableFrom(0xa1, '○  ◉◎ ▪☐ ✦★✶✴✹✵'),
  ...tableFrom(0xd8, '➢      ←→↑↓↖↗↙↘⬅➔⬆⬇⬉⬈⬋⬊⇦⇨⇧⇩⬄⇳'),
  ...tableFrom(0xfb, '✗✓☒☑'),
])

const WINGDINGS_2 = new Map([...tableFrom(0x4f, '✗✓☒☑☒☒'), ...tableFrom(0x97, '•'), ...tableFrom(0xa2, '■☐')])

const WEBDINGS = new Map([...tableFrom(0x61, '✔ ☐   ■'), ...tableFrom(0x6e, '●'), ...tableFrom(0x72, '✖')])

const FONTS: Record<string, ReadonlyMap<number, string>> = {
  symbol: SYMBOL,
  wingdings: WINGDINGS,
  'wingdings 2': WINGDINGS_2,
  webdings: WEBDINGS,
}

const findFont = (font: string | undefined) => {
  const name = font?.trim().toLowerCase() ?? ''
  return Object.hasOwn(FONTS, name) ? FONTS[name] : undefined
}

/** Returns the character that a font of symbols shows for a code; an unknown symbol is left out. */
export function readSymbol(code: number, font: string | undefined): string {
  const table = findFont(font)
  const isPrivate = code >= 0xe000 && code <= 0xf8ff
  const character = table?.get(isPrivate ? code - PRIVATE : code)
  if (character !== undefined) return character
  const isCharacter = Number.isInteger(code) && code > 0x20 && code <= 0x10ffff
  return isPrivate || !isCharacter || (table && code < 0x100) ? '' : String.fromCodePoint(code)
}

/** Replaces characters of a text by the symbols that its font shows, and leaves out private ones. */
export function replaceSymbols(text: string, font: string | undefined): string {
  if (!findFont(font)) return text.replace(/[\ue000-\uf8ff]/g, '')
  return text.replace(/\S/gu, (character) => readSymbol(character.codePointAt(0)!, font))
}
