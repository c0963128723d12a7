import type { Block } from './blocks.ts'

/** Properties that people do not read. */
const SKIPPED = new Set(
  'begin end version prodid uid dtstamp created last-modified sequence transp photo logo sound key rev calscale method class n sort-string mailer tzid tzoffsetfrom tzoffsetto tzname trigger action'.split(
    ' ',
  ),
)
/** Properties whose names say little. */
const NAMES: Record<string, string> = {
  dtstart: 'Start',
  dtend: 'End',
  rrule: 'Repeats',
  fn: 'Name',
  org: 'Organization',
  tel: 'Phone',
  adr: 'Address',
  bday: 'Birthday',
}

/** True if a text is a calendar or a list of contacts (iCalendar, vCard). */
export const isCards = (source: string): boolean => /^\s*BEGIN:(?:VCALENDAR|VCARD)[ \t]*\n/i.test(source)

/** Yields the events and contacts of a text, each as a row. */
export function* readCards(source: string): Generator<Block> {
  let cells: string[] = []
  for (const line of source
    .replace(/=\n(?![\w-]+[;:])/g, '')
    .replace(/\n[ \t]/g, '')
    .split('\n')) {
    const match = /^(?:[\w-]+\.)?([\w-]+)((?:;(?:"[^"]*"|[^";:])*)*):(.*)$/.exec(line)
    if (!match) continue
    const [, property = '', parameters = '', value = ''] = match
    const name = property.toLowerCase()
    if (name === 'begin' || name === 'end') {
      if (cells.length > 0) yield { kind: 'row', text: cells.join(' | ') }
      cells = []
    } else if (!SKIPPED.has(name) && !name.startsWith('x-')) {
      const text = formatValue(name, value, parameters)
      if (text !== '') cells.push(`${NAMES[name] ?? name.charAt(0).toUpperCase() + name.slice(1)}: ${text}`)
    }
  }
}

function formatValue(name: string, value: string, parameters: string): string {
  const person = /;CN=(?:"([^"]*)"|([^;:]*))/i.exec(parameters)
  const address = value.replace(/^mailto:/i, '')
  if (person) return `${person[1] ?? person[2]} <${address}>`
  const date = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})\d{2}(Z?))?$/.exec(value)
  if (date && /^(dt|bday|due|completed|anniversary)/.test(name)) {
    const [, year, month, day, hour, minute, zone] = date
    const zoneName = /;TZID=([^;:]*)/i.exec(parameters)?.[1]
    return [`${year}-${month}-${day}`, hour && `${hour}:${minute}${zone && ' UTC'}`, hour && zoneName]
      .filter(Boolean)
      .join(' ')
  }
  const text = /ENCODING=QUOTED-PRINTABLE/i.test(parameters) ? decodeQuoted(address) : address
  return text
    .replace(/\\n/gi, ' ')
    .split(/(?<!\\);/)
    .filter((each) => each.trim() !== '')
    .join(', ')
    .replace(/\\([\\;,])/g, '$1')
}

const decodeQuoted = (text: string) =>
  Buffer.from(
    text.replace(/=([\dA-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()
