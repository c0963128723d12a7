export const RIGHT_TO_LEFT = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u
const LEFT_TO_RIGHT = /[\p{L}\p{Nd}]/u
/** Signs that belong to a number or a word written from left to right if such characters are on both sides. */
const WITHIN = /^[\s.,:/%+\-–'’@#_&=?~$€£()]+$/u
const MIRRORED: Record<string, string> = {
  '(': ')',
  ')': '(',
  '[': ']',
  ']': '[',
  '{': '}',
  '}': '{',
  '«': '»',
  '»': '«',
  '<': '>',
  '>': '<',
}

/**
 * Returns a line that has words written from right to left in the order in which it is read; its characters are in the
 * order of their places, from the left.
 */
export function toLogicalText(characters: readonly string[]): string {
  const kinds = characters.map(kindOf)
  const letters = kinds.filter((kind) => kind === 'right').length
  const others = characters.filter((text) => /\p{L}/u.test(text) && !RIGHT_TO_LEFT.test(text)).length
  const isRightToLeft = letters >= others
  const runs = joinRuns(characters, kinds, isRightToLeft)
  const ordered = isRightToLeft ? runs.reverse() : runs
  return ordered.map(({ isRight, texts }) => (isRight ? reverse(texts) : texts.join(''))).join('')
}

type Kind = 'right' | 'left' | 'neutral'

function kindOf(text: string): Kind {
  if (RIGHT_TO_LEFT.test(text) && !/\p{Nd}/u.test(text)) return 'right'
  return LEFT_TO_RIGHT.test(text) ? 'left' : 'neutral'
}

/** Joins characters of one direction; neutral ones have that of their neighbours, or of the line. */
function joinRuns(characters: readonly string[], kinds: readonly Kind[], isRightToLeft: boolean) {
  const runs: { isRight: boolean; texts: string[] }[] = []
  const add = (isRight: boolean, texts: string[]) => {
    const last = runs.at(-1)
    if (last && last.isRight === isRight) last.texts.push(...texts)
    else runs.push({ isRight, texts })
  }
  let index = 0
  while (index < characters.length) {
    const kind = kinds[index]!
    let end = index + 1
    while (end < characters.length && kinds[end] === kind) end += 1
    const texts = characters.slice(index, end)
    if (kind !== 'neutral') add(kind === 'right', texts)
    else {
      const isWithin = kinds[index - 1] === kinds[end] && kinds[end] !== undefined
      const isLeft = isWithin && kinds[end] === 'left' && WITHIN.test(texts.join(''))
      add(isLeft ? false : isWithin ? kinds[end] === 'right' : isRightToLeft, texts)
    }
    index = end
  }
  return runs
}

/** Returns characters in the opposite order; brackets are turned. */
const reverse = (texts: readonly string[]) =>
  texts
    .map((text) => MIRRORED[text] ?? text)
    .reverse()
    .join('')

/** Tells if a text is mostly written from right to left. */
export function isRightToLeft(text: string): boolean {
  const right = text.match(new RegExp(RIGHT_TO_LEFT.source, 'gu'))?.length ?? 0
  return right > 0 && right * 2 >= (text.match(/\p{L}/gu)?.length ?? 0)
}
