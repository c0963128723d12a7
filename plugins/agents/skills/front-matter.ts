/** The bytes of a SKILL.md that are read to find its name and description. */
export const HEAD_BYTES = 16 * 1024

const NAME_CHARS = 128
const DESCRIPTION_CHARS = 1024

const FRONT_MATTER = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/

/** The name and description from a SKILL.md, each on one line; `name` is null if the file states none. */
interface SkillHead {
  name: string | null
  description: string
}

/**
 * Reads the beginning of a SKILL.md. Without a valid description in the front matter, the first line of text in the
 * body is the description.
 */
export async function readHead(text: string): Promise<SkillHead> {
  const match = FRONT_MATTER.exec(text)
  const fields = match ? await parseFields(match[1] ?? '') : {}
  const body = match ? text.slice(match[0].length) : text
  const readField = (field: string, length: number) => {
    const value = Object.hasOwn(fields, field) ? fields[field] : undefined
    return typeof value === 'string' ? cut(flatten(value), length) : ''
  }
  return {
    name: readField('name', NAME_CHARS) || null,
    description: readField('description', DESCRIPTION_CHARS) || cut(findFirstText(body), DESCRIPTION_CHARS),
  }
}

/** Returns at most `length` characters of a text, without cutting a character in two. */
export const cut = (text: string, length: number): string =>
  text.length <= length ? text : [...text].slice(0, length).join('').trimEnd()

/** Parses YAML with the failsafe schema, in which every scalar is a string, and without aliases, which could expand. */
async function parseFields(source: string): Promise<Record<string, unknown>> {
  const { parse } = await import('yaml')
  try {
    const fields: unknown = parse(source, { schema: 'failsafe', maxAliasCount: 0, logLevel: 'error' })
    return typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>) : {}
  } catch {
    // Skills are written by people and models; invalid YAML is ignored.
    return {}
  }
}

/** Returns the first line that is not a heading or a rule. */
function findFirstText(body: string): string {
  const lines = body.split(/\r?\n/).map(flatten)
  return lines.find((line) => line && !/^(#{1,6}( |$)|[-=*_]{3,}$)/.test(line)) ?? ''
}

const flatten = (text: string) =>
  text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/\p{Cs}/gu, '\ufffd')
    .trim()
