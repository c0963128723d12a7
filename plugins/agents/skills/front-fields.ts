import type { Document } from 'yaml'

type Yaml = typeof import('yaml')

/** The fields of front matter that are read; '' is a field that is missing or empty. */
interface FrontFields {
  name: string
  description: string
}

type Field = keyof FrontFields

/** The lines of a field, of which the first begins with its key. */
interface Chunk {
  field: string | null
  /** The text after the key. */
  value: string
  lines: string[]
}

/** The nesting above which a document is not composed, as composing and searching it are recursive. */
const MAX_DEPTH = 100

const FIELD = /^(["']?)(name|description)\1[ \t]*[:：](.*)$/i
const OTHER_FIELD = /^["']?[\w.-]+["']?[ \t]*:(?=\s|$)/
const BLOCK_HEADER = /^[|>][-+\d]{0,2}(?:[ \t]+#.*)?$/
const COMMENT = /(?:^|[ \t])#.*$/
const COMMENT_LINE = /^[ \t]*# /
const NOTHING = ['', '~', 'null', 'Null', 'NULL']

/**
 * Reads front matter as YAML. A field that is not valid YAML, or whose YAML drops a part of it, is read as it is
 * written: people and models write descriptions with `: `, `[`, `@` or ` #`. The last of several equal fields counts.
 */
export async function readFields(source: string): Promise<FrontFields> {
  const yaml = await import('yaml')
  const chunks = splitFields(source)
  const whole = parseMap(yaml, source)
  const readField = (field: Field): string => {
    const chunk = chunks.findLast((chunk) => chunk.field === field)
    const document = whole ?? (chunk && parseMap(yaml, chunk.lines.join('\n')))
    const value = document && findValue(yaml, document, field)
    return value ?? (chunk ? readAsWritten(chunk) : '')
  }
  return { name: readField('name'), description: readField('description') }
}

/** Parses a map with the failsafe schema, in which every scalar is a string; returns undefined if it is not valid. */
function parseMap({ Parser, Composer, isMap }: Yaml, source: string): Document.Parsed | undefined {
  const tokens = [...new Parser().parse(source)]
  if (tokens.some(isDeep)) return undefined
  const options = { schema: 'failsafe', uniqueKeys: false, prettyErrors: false } as const
  const [document, ...others] = new Composer(options).compose(tokens)
  const isValid = document && others.length === 0 && document.errors.length === 0
  return isValid && isMap(document.contents) ? document : undefined
}

function isDeep(token: object): boolean {
  const stack: { token: object; depth: number }[] = [{ token, depth: 1 }]
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { token, depth } = next
    if (depth > MAX_DEPTH) return true
    const { value, key, items } = token as { value?: unknown; key?: unknown; items?: unknown[] }
    for (const inner of [value, key, ...(items ?? [])])
      if (typeof inner === 'object' && inner !== null) stack.push({ token: inner, depth: depth + 1 })
  }
  return false
}

/** Returns the text of a field; undefined if the field is missing, or is not a text as a whole. */
function findValue(yaml: Yaml, document: Document.Parsed, field: Field): string | undefined {
  const { isAlias, isMap, isScalar } = yaml
  if (!isMap(document.contents)) return undefined
  const pair = document.contents.items.findLast(
    ({ key }) => isScalar(key) && String(key.value).toLowerCase() === field,
  )
  const node = isAlias(pair?.value) ? pair.value.resolve(document) : pair?.value
  if (!isScalar(node)) return undefined
  const value = String(node.value)
  if (node.type !== 'PLAIN') return value
  // A text may begin with an `&` or `!` that YAML takes for an anchor or a tag.
  const isTag = node.tag !== undefined && !node.tag.startsWith('tag:yaml.org,')
  const isAnchor = node.anchor !== undefined && !isReferenced(yaml, document, node.anchor)
  const isCut = field === 'description' && `${node.comment ?? ''}${node.commentBefore ?? ''}` !== ''
  if (isTag || isAnchor || isCut) return undefined
  return NOTHING.includes(value) ? '' : value
}

function isReferenced({ visit }: Yaml, document: Document.Parsed, anchor: string): boolean {
  let isUsed = false
  visit(document, {
    Alias(_, { source }) {
      isUsed ||= source === anchor
    },
  })
  return isUsed
}

/** Splits front matter into its fields; lines that begin no field belong to the one before them. */
function splitFields(source: string): Chunk[] {
  const indent = /^[ \t]*(?=\S)/m.exec(source)?.[0] ?? ''
  const chunks: Chunk[] = []
  for (const text of source.split('\n')) {
    const line = text.startsWith(indent) ? text.slice(indent.length) : text
    const [, , field, value] = FIELD.exec(line) ?? []
    if (field !== undefined) chunks.push({ field: field.toLowerCase(), value: value!, lines: [line] })
    else if (OTHER_FIELD.test(line)) chunks.push({ field: null, value: '', lines: [line] })
    else chunks.at(-1)?.lines.push(line)
  }
  return chunks
}

/** Returns the text of a field as it is written, up to a paragraph that is not indented, without quotes around it. */
function readAsWritten({ field, value, lines }: Chunk): string {
  const isBlock = BLOCK_HEADER.test(value.trim())
  const below = lines.slice(1)
  const end = isBlock
    ? -1
    : below.findIndex((line, index) => /^\S/.test(line) && below[index - 1]?.trim() === '')
  const own = field === 'name' ? value.replace(COMMENT, '') : value
  const more = (end < 0 ? below : below.slice(0, end)).filter((line) => !COMMENT_LINE.test(line))
  const text = [isBlock ? '' : own, ...more]
    .map((part) => part.trim())
    .join(' ')
    .trim()
  return NOTHING.includes(text) ? '' : unquote(text)
}

/** Removes the quotes around a text, also if others inside are not escaped or the last is missing. */
function unquote(text: string): string {
  const [quote] = text
  if (quote !== '"' && quote !== "'") return text
  const isClosed = text.length > 1 && text.endsWith(quote)
  const inner = text.slice(1, isClosed ? -1 : undefined)
  const next = inner.indexOf(quote)
  // In `"One" or "two"` the first and the last quote are not a pair.
  const endsWord =
    next > 0 && /[^\s\\]/.test(inner[next - 1]!) && /^(?:[\s,.;:!?)]|$)/.test(inner.slice(next + 1))
  if (isClosed ? endsWord : next >= 0) return text
  return inner.replaceAll(quote === '"' ? '\\"' : "''", quote)
}
