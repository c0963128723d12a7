const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' }

/** Characters that take no space or only space: blanks, marks without a width, fillers, and the blank of Braille. */
const INVISIBLE = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800\ufffc]/gu

/** Removes the marks from a text in Telegram's HTML. */
export const toPlainText = (html: string): string =>
  html
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/&(lt|gt|amp|quot|#\d{1,7}|#x[\da-f]{1,6});/gi, (whole, name: string) =>
      name.startsWith('#') ? fromNumber(name.slice(1), whole) : (ENTITIES[name.toLowerCase()] ?? whole),
    )

/** True if a reader would see anything of a text. */
export const isVisible = (text: string): boolean => text.replace(INVISIBLE, '') !== ''

function fromNumber(digits: string, whole: string): string {
  const code = /^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits)
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole
}
