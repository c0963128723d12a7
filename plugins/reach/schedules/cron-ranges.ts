/** The first and last value of a field, and the names of its values from the first on. */
interface Field {
  first: number
  last: number
  names?: readonly string[]
}

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const FIELDS: readonly Field[] = [
  { first: 0, last: 59 },
  { first: 0, last: 23 },
  { first: 1, last: 31 },
  {
    first: 1,
    last: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { first: 0, last: 6, names: WEEKDAYS },
]

/**
 * Splits the ranges of a cron expression that wrap round, which croner refuses: `FRI-MON` becomes `5-6,0-1`, and
 * `22-2` among the hours `22-23,0-2`. All else stays as it is written.
 */
export function splitWrappingRanges(cron: string): string {
  const fields = cron.trim().split(/\s+/)
  if (fields.length !== FIELDS.length) return cron
  return fields
    .map((text, index) =>
      text
        .split(',')
        .map((part) => splitRange(part, FIELDS[index]!))
        .join(','),
    )
    .join(' ')
}

function splitRange(part: string, field: Field): string {
  const [, start, end, step] = /^(\w+)-(\w+)(?:\/(\d+))?$/.exec(part) ?? []
  const { first, last } = field
  const from = readValue(start, field)
  const to = readValue(end, field)
  const every = Number(step ?? 1)
  if (from === undefined || to === undefined || every < 1) return part
  const suffix = step === undefined ? '' : `/${step}`
  // A week that begins with 7 has not wrapped yet.
  if (from <= to) return start === '7' && from < to ? `${from}-${to}${suffix}` : part
  // The steps continue across the end of the field.
  const continuesAt = first + ((every - ((last - from + 1) % every)) % every)
  const head = `${from}-${last}${suffix}`
  return continuesAt > to ? head : `${head},${continuesAt}-${to}${suffix}`
}

/** Returns the value of a number or a name; undefined if the field does not have it. 7 is Sunday as well as 0. */
function readValue(text: string | undefined, { first, last, names }: Field): number | undefined {
  if (text === undefined) return undefined
  const index = names?.indexOf(text.toLowerCase()) ?? -1
  if (index >= 0) return first + index
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (names === WEEKDAYS && value === 7) return 0
  return value >= first && value <= last ? value : undefined
}
