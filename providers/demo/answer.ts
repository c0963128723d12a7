import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider'
import { phrases } from './phrases.ts'

/** The answer of the model, in this order: a thought, its text, a tool call. */
export interface Answer {
  thought?: string
  text: string
  call?: { name: string; input: Record<string, string> }
}

/** The part of a question or a tool's result that an answer repeats. */
const MAX_QUOTE_CHARS = 600

/** Chooses the answer to a prompt: to tool results if the prompt ends with them, otherwise to the user's last text. */
export function chooseAnswer({ prompt, tools = [], toolChoice }: LanguageModelV3CallOptions): Answer {
  const question = lastQuestion(prompt)
  const say = phrases[/\p{Script=Han}/u.test(question) ? 'zh' : 'en']
  const results = lastResults(prompt)
  if (results.length > 0)
    return {
      text: results.map((result) => say.result(result.toolName, quote(readResult(result)))).join('\n\n'),
    }

  const thought = THINK.test(question) ? say.thought(quote(question)) : undefined
  const call = toolChoice?.type === 'none' ? undefined : findCall(question)
  if (call) {
    const offered = tools.some(({ name }) => name === call.name)
    return offered ? { thought, text: say.calling(call.name), call } : { text: say.notOffered(call.name) }
  }
  if (HELP.test(question)) return { text: say.help }
  return { thought, text: say.echo(quote(question)) }
}

const HELP = /^\s*help\b|^\s*[?？]\s*$|帮助/i
const THINK = /\bthink\b|思考|想一想/i
const LIST =
  /^\s*ls\b(?:\s+(?<path>[\w./-]{1,200}))?|\b(?:list|show)\b[^.]{0,20}\bfiles\b|列出.{0,6}文件|文件列表/i
const WRITE =
  /\bwrite (?:a |the )?file\b(?: (?:named |called )?["'`]?(?!with\b|saying\b|containing\b)(?<path>[\w./-]{1,200})["'`]?)?(?:,? (?:with|saying|containing)\s(?<content>[\s\S]+))?/i
const WRITE_ZH =
  /写.{0,6}?文件\s?(?<path>[\w./-]{1,200})?(?:[\s，,]?内容(?:为|是)?[\s：:]?(?<content>[\s\S]+))?/
const READ =
  /\bread (?:the )?(?:file ["'`]?(?<named>[\w./-]{1,200})|["'`]?(?<path>[\w./-]{1,200}\.\w{1,10}))|读取?(?:文件)?\s?(?<zh>[\w./-]{1,200})/i

function findCall(question: string): Answer['call'] {
  const list = LIST.exec(question)
  if (list) return { name: 'ls', input: list.groups?.path ? { path: list.groups.path } : {} }
  const write = (WRITE.exec(question) ?? WRITE_ZH.exec(question))?.groups
  if (write) {
    const { path = 'demo.txt', content = 'Hello from the demo model.' } = write
    return { name: 'write_file', input: { path, content } }
  }
  const read = READ.exec(question)?.groups
  const path = read?.named ?? read?.path ?? read?.zh
  return path ? { name: 'read_file', input: { path } } : undefined
}

function lastQuestion(prompt: LanguageModelV3Prompt): string {
  const message = prompt.findLast(({ role }) => role === 'user')
  if (message?.role !== 'user') return ''
  return message.content
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n')
    .trim()
}

function lastResults(prompt: LanguageModelV3Prompt): LanguageModelV3ToolResultPart[] {
  const last = prompt.at(-1)
  return last?.role === 'tool' ? last.content.filter((part) => part.type === 'tool-result') : []
}

function readResult({ output }: LanguageModelV3ToolResultPart): string {
  if (output.type === 'text' || output.type === 'error-text') return output.value
  if (output.type === 'execution-denied') return output.reason ?? 'execution denied'
  return JSON.stringify(output.value)
}

const quote = (text: string) => (text.length > MAX_QUOTE_CHARS ? `${text.slice(0, MAX_QUOTE_CHARS)} …` : text)
