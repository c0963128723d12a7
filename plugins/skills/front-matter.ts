/** How much of a SKILL.md is looked at for what the skill says of itself, in bytes. */
export const HEAD_BYTES = 16 * 1024

const NAME_LENGTH = 128
const DESCRIPTION_LENGTH = 1024

const FRONT_MATTER = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/

/** What a skill says of itself, each on one line; `name` is null where it says none. */
export interface SkillHead {
  name: string | null
  description: string
}

/**
 * Reads the beginning of a SKILL.md. A front matter that is missing or wrong is passed over, and the first line of
 * text in the body describes the skill then.
 */
export async function readHead(text: string): Promise<SkillHead> {
  const found = FRONT_MATTER.exec(text)
  const fields = found ? await parseFields(found[1] ?? '') : {}
  const body = found ? text.slice(found[0].length) : text
  const textOf = (field: string, length: number) => {
    const value = Object.hasOwn(fields, field) ? fields[field] : undefined
    return typeof value === 'string' ? cut(flatten(value), length) : ''
  }
  return {
    name: textOf('name', NAME_LENGTH) || null,
    description: textOf('description', DESCRIPTION_LENGTH) || cut(firstLine(body), DESCRIPTION_LENGTH),
  }
}

/** The first so many characters of a text, none of them divided. */
export const cut = (text: string, length: number): string =>
  text.length <= length ? text : [...text].slice(0, length).join('').trimEnd()

/** In the failsafe schema every scalar is a text; without aliases nothing in it can grow. */
async function parseFields(source: string): Promise<Record<string, unknown>> {
  const { parse } = await import('yaml')
  try {
    const fields: unknown = parse(source, { schema: 'failsafe', maxAliasCount: 0, logLevel: 'error' })
    return typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>) : {}
  } catch {
    // Skills are written by people and models; what cannot be read says nothing.
    return {}
  }
}

/** Headings and rules are no text. */
function firstLine(body: string): string {
  const lines = body.split(/\r?\n/).map(flatten)
  return lines.find((line) => line && !/^(#{1,6}( |$)|[-=*_]{3,}$)/.test(line)) ?? ''
}

const flatten = (text: string) =>
  text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/\p{Cs}/gu, '\ufffd')
    .trim()
