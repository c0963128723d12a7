import type { Link, Nodes, Parents, Root, Text } from 'mdast'

/** Punctuation of Chinese and Japanese, or marks of emphasis, which end an address that is written into a sentence. */
const END =
  /\*\*|~~|[\u2018-\u201d\u2026\u3000-\u303f\uff01-\uff0c\uff0e\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/u
const CJK = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u
/** The scheme and the host of an address, to its port. */
const HOST = /^(?:[a-z][a-z\d+.-]*:\/\/)?[^/?#]*/i
/** Domains after which words of a sentence often follow without a space. */
const DOMAINS = /\.(?:ai|app|cn|co|com|dev|edu|gov|hk|info|io|jp|kr|me|net|org|tv|tw|xyz)$/i

/** A plugin of remark: ends addresses in prose before Chinese punctuation, as a reader does. */
export const remarkAddressEnds = () => (tree: Root, file: { value: unknown }) =>
  shorten(tree, String(file.value))

function shorten(parent: Parents, source: string): void {
  const children: Nodes[] = []
  for (const child of parent.children) {
    if (child.type === 'link' && isLiteral(child, source)) children.push(...cut(child))
    else {
      if ('children' in child) shorten(child, source)
      children.push(child)
    }
  }
  parent.children = children as typeof parent.children
}

/** True for an address in a text, which has no brackets around it. */
function isLiteral({ url, children: [label], position }: Link, source: string): boolean {
  if (label?.type !== 'text' || !url.endsWith(label.value)) return false
  return position === undefined || !/[<[]/.test(source.charAt(position.start.offset ?? -1))
}

/** Splits a link into the link to its address and the text behind it; without a sure host it is all text. */
function cut(link: Link): (Link | Text)[] {
  const [label] = link.children as [Text]
  const address = label.value
  const shown = cutAddress(address)
  if (shown === address) return [link]
  if (!shown) return [label]
  const behind = address.slice(shown.length)
  const url = link.url.slice(0, link.url.length - behind.length)
  const text: Text = { type: 'text', value: behind }
  return [{ ...link, url, children: [{ type: 'text', value: shown }] }, text]
}

/** Returns an address without the sentence behind it; empty if its host is unsure. */
export function cutAddress(address: string): string {
  let shown = address.slice(0, findEnd(address))
  if (shown === address) return address
  while (/[*_~.,:;!?'"]$/.test(shown) || (shown.endsWith(')') && !shown.includes('(')))
    shown = shown.slice(0, -1)
  return shown
}

/** The length of an address without the punctuation and words of the sentence behind it; 0 if its host is unsure. */
function findEnd(address: string): number {
  const punctuation = address.search(END)
  const shown = punctuation < 0 ? address : address.slice(0, punctuation)
  const [host] = HOST.exec(shown)!
  const words = host.search(CJK)
  // A host in Chinese letters has a label of its own for them: 例子.中国.
  if (words <= 0 || /[/.@]/.test(host.charAt(words - 1))) return shown.length
  const shorterHost = host.slice(0, words)
  return DOMAINS.test(shorterHost) || /:\d+$/.test(shorterHost) ? words : 0
}
