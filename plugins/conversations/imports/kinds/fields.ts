import { isObject, type Json, toFilledText, toNumber, toText } from '#plugin-api'

/** The years in which times are believed. */
const EARLIEST_MS = Date.UTC(2000, 0)
const LATEST_MS = Date.UTC(2100, 0)

/** Returns a time in Unix milliseconds: of an ISO date, or of a number in seconds, milliseconds, micro- or nanoseconds. */
export function toTime(value: unknown): number | undefined {
  const number = toNumber(value)
  let time = number ?? Date.parse(toText(value))
  if (number !== undefined) for (time = number * 1000; time > LATEST_MS; ) time /= 1000
  return time >= EARLIEST_MS && time < LATEST_MS ? Math.floor(time) : undefined
}

/** Returns the time of a document of MongoDB as its tools export it, or any other time. */
export const toStoredTime = (value: unknown): number | undefined =>
  toTime(isObject(value) ? value.$date : value)

/** Returns the filled texts of these values, joined as paragraphs. */
export const joinTexts = (values: readonly unknown[]): string =>
  values
    .flatMap((value) => toFilledText(value)?.trim() || [])
    .join('\n\n')
    .trim()

/** Removes what is between two marks, the marks included; a mark without its counterpart stays. */
export function removeBetween(text: string, opening: RegExp, closing: string): string {
  let remaining = ''
  let position = 0
  for (const { index } of text.matchAll(opening)) {
    if (index < position) continue
    const end = text.indexOf(closing, index)
    if (end === -1) break
    remaining += text.slice(position, index)
    position = end + closing.length
  }
  return remaining + text.slice(position)
}

/** A node of a tree of messages. */
export interface TreeNode<Message> {
  parent: string | undefined
  message: Message
}

/** Returns the messages from the root to a leaf, oldest first; a cycle ends at the node that it would repeat. */
export function walkToRoot<Message>(nodes: ReadonlyMap<string, TreeNode<Message>>, leaf: string): Message[] {
  const path: Message[] = []
  const visited = new Set<string>()
  for (let id: string | undefined = leaf; id !== undefined && !visited.has(id); ) {
    visited.add(id)
    const node: TreeNode<Message> | undefined = nodes.get(id)
    if (!node) break
    path.push(node.message)
    id = node.parent
  }
  return path.reverse()
}

/** Returns the newest node without children, by the order of `timeOf`, the last of several. */
export function findNewestLeaf<Message>(
  nodes: ReadonlyMap<string, TreeNode<Message>>,
  timeOf: (message: Message) => number | undefined,
): string | undefined {
  const parents = new Set([...nodes.values()].map(({ parent }) => parent))
  let newest: string | undefined
  let latest = -1
  for (const [id, { message }] of nodes) {
    const time = timeOf(message) ?? 0
    if (parents.has(id) || time < latest) continue
    newest = id
    latest = time
  }
  return newest ?? [...nodes.keys()].at(-1)
}

/** Returns code as a block of Markdown, whose fence is longer than any in the code. */
export function toCodeBlock(code: string, language = ''): string {
  let longest = 2
  for (const [fence] of code.matchAll(/`{3,}/g)) longest = Math.max(longest, fence.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${/^[\w+#.-]{1,32}$/.test(language) ? language : ''}\n${code.replace(/\n$/, '')}\n${fence}`
}

/** The file of a data URL that contains its bytes in base64; undefined for any other text. */
export function readDataUrl(url: string): { media_type: string; content: Buffer } | undefined {
  const [head, media_type] = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w=-]+)*;base64,/.exec(url.slice(0, 200)) ?? []
  if (head === undefined) return undefined
  return { media_type: media_type!, content: Buffer.from(url.slice(head.length), 'base64') }
}

/** Returns the first filled text among the fields of an object. */
export const firstText = (fields: Json, ...names: string[]): string | undefined =>
  names.map((name) => toFilledText(fields[name])).find((text) => text !== undefined)
