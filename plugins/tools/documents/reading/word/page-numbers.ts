/** Words that are around the number of a page. */
const WORDS = new Set(
  'page pages of seite seiten von pág página páginas de pagina pagine di blz van side af av sida strona z strana stránka стр страница из trang số sayfa หน้า ページ 쪽 페이지 صفحة من'.split(
    ' ',
  ),
)

/**
 * Returns the text of a head or foot of pages without its parts that only number them; the parts of a line are
 * separated by tabs.
 */
export function removePageNumbers(text: string, hasPageNumber: boolean): string {
  const isNumber = (part: string) => {
    const words = part.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []
    const isNumbered = hasPageNumber || /^\D?\d+\D?$/.test(part.trim())
    return isNumbered && words.every((word) => WORDS.has(word) || /^([ivxlc]{1,7}|[第页頁共]+)$/.test(word))
  }
  return text
    .split(/\t+/)
    .filter((part) => !isNumber(part))
    .join('\t')
}
