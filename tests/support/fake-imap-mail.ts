/** A part of a mail, as an IMAP server sees it. */
interface MailPart {
  /** The headers of the part, with the empty line behind them. */
  header: Buffer
  body: Buffer
  type: string
  parameters: Map<string, string>
  disposition?: { name: string; parameters: Map<string, string> }
  encoding: string
  id?: string
  children: MailPart[]
}

const BLANK = Buffer.from('\r\n\r\n')

/** Parses a mail into its parts. */
export function parseMail(source: Buffer): MailPart {
  const end = source.indexOf(BLANK)
  const header = end < 0 ? source : source.subarray(0, end + 4)
  const body = end < 0 ? Buffer.alloc(0) : source.subarray(end + 4)
  const fields = readFields(header)
  const { name: type, parameters } = readParameters(fields.get('content-type') ?? 'text/plain')
  const disposition = fields.get('content-disposition')
  const id = fields.get('content-id')
  const boundary = type.startsWith('multipart/') ? parameters.get('boundary') : undefined
  return {
    header,
    body,
    type,
    parameters,
    ...(disposition && { disposition: readParameters(disposition) }),
    encoding: fields.get('content-transfer-encoding') ?? '7bit',
    ...(id && { id }),
    children: boundary ? splitBody(body, boundary).map(parseMail) : [],
  }
}

function readFields(header: Buffer): Map<string, string> {
  const unfolded = header.toString('latin1').replace(/\r\n[ \t]+/g, ' ')
  const fields = unfolded.split('\r\n').flatMap((line): [string, string][] => {
    const colon = line.indexOf(':')
    return colon > 0 ? [[line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]] : []
  })
  return new Map(fields.reverse())
}

function readParameters(value: string) {
  const [name = '', ...pairs] = value.split(';')
  const parameters = new Map<string, string>()
  for (const parameter of pairs) {
    const [, key, quoted, plain] = /^\s*([\w*-]+)\s*=\s*(?:"(.*)"|(\S+))\s*$/.exec(parameter) ?? []
    if (key) parameters.set(key.toLowerCase(), quoted ?? plain ?? '')
  }
  return { name: name.trim().toLowerCase(), parameters }
}

function splitBody(body: Buffer, boundary: string): Buffer[] {
  const text = body.toString('latin1')
  const pieces = `\r\n${text}`.split(`\r\n--${boundary}`).slice(1)
  return pieces
    .filter((piece) => !piece.startsWith('--'))
    .map((piece) => Buffer.from(piece.replace(/^[ \t]*\r\n/, ''), 'latin1'))
}

const quote = (text: string | undefined) =>
  text === undefined ? 'NIL' : `"${text.replace(/[\\"]/g, '\\$&')}"`

const list = (parameters: Map<string, string>) =>
  parameters.size === 0
    ? 'NIL'
    : `(${[...parameters].map(([key, value]) => `${quote(key)} ${quote(value)}`).join(' ')})`

/** Describes a mail as the item BODYSTRUCTURE does. */
export function describeStructure(part: MailPart): string {
  const [type = 'text', subtype = 'plain'] = part.type.split('/')
  const disposition = part.disposition
    ? `(${quote(part.disposition.name)} ${list(part.disposition.parameters)})`
    : 'NIL'
  if (part.children.length > 0)
    return `(${part.children.map(describeStructure).join('')} ${quote(subtype)} ${list(part.parameters)} ${disposition} NIL NIL)`
  const basic = `${quote(type)} ${quote(subtype)} ${list(part.parameters)} ${quote(part.id)} NIL ${quote(part.encoding)} ${part.body.length}`
  const lines = type === 'text' ? ` ${part.body.toString('latin1').split('\r\n').length}` : ''
  return `(${basic}${lines} NIL ${disposition} NIL NIL)`
}

/** Returns the bytes of a section such as `HEADER`, `TEXT`, `1.2` or `1.2.MIME`. */
export function readSection(source: Buffer, section: string): Buffer {
  const root = parseMail(source)
  const name = section.toUpperCase()
  if (name === '') return source
  if (name === 'HEADER') return root.header
  if (name === 'TEXT') return root.body
  const numbers = name.split('.')
  const isMime = numbers.at(-1) === 'MIME'
  let part: MailPart | undefined = root
  for (const number of isMime ? numbers.slice(0, -1) : numbers) {
    const index: number = Number(number) - 1
    part = part && (part.children[index] ?? (index === 0 && part.children.length === 0 ? part : undefined))
  }
  if (!part) return Buffer.alloc(0)
  return isMime ? part.header : part.body
}
