import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import { parseObject, type ToolContext } from '#plugin-api'

type Field = {
  type?: string
  title?: string
  description?: string
  enum?: unknown[]
  oneOf?: { const: string }[]
  default?: unknown
}

/** The most times that a question is asked again because the answer does not have the form that the server wants. */
const MAX_TRIES = 3
const MAX_MESSAGE = 4000
/** The most characters of a question with its fields; a longer one is not asked. */
const MAX_QUESTION = 16_000

/** Asks the user what a server wants to know, in words; the answer is brought into the form that the server wants. */
export async function elicit(
  params: ElicitRequest['params'],
  connector: string,
  context: Pick<ToolContext, 'askHeld' | 'locale'>,
): Promise<ElicitResult> {
  if (!('requestedSchema' in params)) return { action: 'cancel' }
  const { properties = {}, required = [] } = params.requestedSchema as {
    properties?: Record<string, Field>
    required?: string[]
  }
  const names = Object.keys(properties)
  const lines = names.map((name) => {
    const { title, description, enum: values, oneOf, type = 'string', default: usual } = properties[name]!
    const choices = values ?? oneOf?.map((one) => one.const)
    const mark = required.includes(name) ? ' *' : ''
    const about = [title, description].filter(Boolean).join(': ') || type
    return [
      `- ${name}${mark}: ${about}`,
      choices && `(${choices.join(' | ')})`,
      usual !== undefined && `[${String(usual)}]`,
    ]
      .filter(Boolean)
      .join(' ')
  })
  const form = names.length > 1 ? FORM[context.locale] : ''
  const question = [`${connector}: ${params.message.slice(0, MAX_MESSAGE)}`, ...lines, form]
    .filter(Boolean)
    .join('\n')
  if (question.length > MAX_QUESTION) return { action: 'cancel' }
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    let answer: string
    try {
      answer = await context.askHeld(question)
    } catch {
      return { action: 'decline' }
    }
    const content = readAnswer(answer, properties)
    if (content) applyDefaults(content, properties)
    const isWhole = content && required.every((name) => content[name] !== undefined)
    if (isWhole) return { action: 'accept', content }
  }
  return { action: 'cancel' }
}

const FORM = {
  en: 'Answer with one line per field, such as “name: value”.',
  zh: '请逐行回答，例如“name: value”。',
}

type Content = NonNullable<ElicitResult['content']>

/**
 * Reads an answer as the fields of a form: one field as it is, several as JSON or as lines; undefined if it is neither.
 */
function readAnswer(answer: string, properties: Record<string, Field>): Content | undefined {
  const names = Object.keys(properties)
  if (names.length === 0 || answer.trim() === '') return {}
  const answered = readFields(answer.trim(), names)
  const content: Content = {}
  for (const [name, value] of Object.entries(answered)) {
    const read = readValue(value, properties[name]!)
    if (read === undefined) return undefined
    content[name] = read
  }
  return content
}

/** Fills in the fields that an answer leaves out. */
function applyDefaults(content: Content, properties: Record<string, Field>): void {
  for (const [name, field] of Object.entries(properties)) {
    if (content[name] !== undefined || field.default === undefined) continue
    const usual = readValue(field.default, field)
    if (usual !== undefined) content[name] = usual
  }
}

function readFields(answer: string, names: readonly string[]): Record<string, unknown> {
  const parsed = parseObject(answer)
  if (parsed) return Object.fromEntries(Object.entries(parsed).filter(([name]) => names.includes(name)))
  const lines = answer.split('\n').flatMap((line) => {
    const name = names.find((one) => line.trimStart().startsWith(`${one}:`))
    return name === undefined ? [] : [[name, line.slice(line.indexOf(':') + 1).trim()]]
  })
  if (lines.length > 0) return Object.fromEntries(lines)
  return names.length === 1 ? { [names[0]!]: answer } : {}
}

function readValue(value: unknown, { type, enum: values, oneOf }: Field): Content[string] | undefined {
  const text = String(value)
  const choices = values ?? oneOf?.map((one) => one.const)
  if (choices) return choices.includes(text) ? text : undefined
  if (type === 'boolean') {
    if (/^(true|yes|y|是|好)$/i.test(text)) return true
    return /^(false|no|n|否|不)$/i.test(text) ? false : undefined
  }
  if (type === 'number' || type === 'integer') {
    const number = Number(text)
    return Number.isFinite(number) && (type === 'number' || Number.isInteger(number)) ? number : undefined
  }
  if (type === 'array')
    return Array.isArray(value) ? value.map(String) : text.split(',').map((part) => part.trim())
  return text
}
