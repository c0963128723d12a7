import { t, type WordKey } from '../../i18n/words.ts'
import type { IconComponent } from '../../ui/icon.tsx'
import {
  Bot,
  CalendarClock,
  FilePen,
  FileText,
  FolderOpen,
  Globe,
  Library,
  ListChecks,
  MessageCircleQuestion,
  NotebookPen,
  Search,
  Terminal,
  Wrench,
} from '../../ui/icons.ts'

/** A call in a few words for a person. */
export interface CallWords {
  icon: IconComponent
  /** The verb: "Run". */
  verb: string
  /** Its object: a command, a path, an address. */
  object: string
}

interface Kind {
  icon: IconComponent
  label: WordKey
  /** The field of the input that says most. */
  field?: string
}

const KINDS: Record<string, Kind> = {
  ls: { icon: FolderOpen, label: 'tools.ls', field: 'path' },
  read_file: { icon: FileText, label: 'tools.read_file', field: 'path' },
  write_file: { icon: FilePen, label: 'tools.write_file', field: 'path' },
  edit_file: { icon: FilePen, label: 'tools.edit_file', field: 'path' },
  glob: { icon: Search, label: 'tools.glob', field: 'pattern' },
  grep: { icon: Search, label: 'tools.grep', field: 'pattern' },
  execute: { icon: Terminal, label: 'tools.execute' },
  run_python: { icon: Terminal, label: 'tools.run_python', field: 'code' },
  remember: { icon: NotebookPen, label: 'tools.remember', field: 'text' },
  forget: { icon: NotebookPen, label: 'tools.forget' },
  recall: { icon: NotebookPen, label: 'tools.recall', field: 'query' },
  web_fetch: { icon: Globe, label: 'tools.web_fetch', field: 'url' },
  web_search: { icon: Globe, label: 'tools.web_search', field: 'query' },
  search_knowledge: { icon: Library, label: 'tools.search_knowledge', field: 'query' },
  find_tools: { icon: Search, label: 'tools.find_tools', field: 'query' },
  schedule: { icon: CalendarClock, label: 'tools.schedule', field: 'name' },
  write_todos: { icon: ListChecks, label: 'tools.write_todos' },
  ask_agent: { icon: Bot, label: 'tools.ask_another' },
  task: { icon: Bot, label: 'tools.task', field: 'description' },
  ask_user_question: { icon: MessageCircleQuestion, label: 'tools.ask_user_question', field: 'question' },
  read_skill: { icon: FileText, label: 'tools.read_skill', field: 'name' },
}

/** The arguments of a call by their names. */
export const readInput = (input: unknown): Record<string, unknown> =>
  typeof input === 'object' && input !== null && !Array.isArray(input)
    ? (input as Record<string, unknown>)
    : {}

/** Describes a call of a tool; `agentName` is the name of the agent that it asks, if the call does not have it. */
export function describeCall(name: string, input: unknown, agentName?: string): CallWords {
  const kind = KINDS[name]
  const fields = readInput(input)
  if (!kind) return { icon: Wrench, verb: t('tools.other', { name: name.replaceAll('_', ' ') }), object: '' }
  const agent = agentName ?? fields.agent
  if (name === 'ask_agent' && typeof agent === 'string')
    return { icon: kind.icon, verb: t('tools.ask_agent', { agent }), object: toLine(fields.task) }
  const object = name === 'execute' ? toCommandLine(fields) : kind.field ? fields[kind.field] : ''
  const text = typeof object === 'string' ? (name === 'run_python' ? firstLine(object) : object) : ''
  return { icon: kind.icon, verb: t(kind.label), object: kind.field === 'url' ? shorten(text) : text }
}

/** An address as a person reads it. */
const shorten = (address: string) => address.replace(/^https:\/\/(?:www\.)?|\/$/g, '')
/** The first line of a script that says something. */
const firstLine = (code: string) => code.trimStart().split('\n')[0]!

/** The first line of a text without its Markdown marks. */
const toLine = (text: unknown) =>
  typeof text === 'string'
    ? text
        .trim()
        .split('\n')[0]!
        .replace(/^[#>*\s-]+|[*`]+/g, '')
    : ''

/** The command line of a call of `execute`, as one would type it. */
export function toCommandLine({ command, args = [] }: Record<string, unknown>): string {
  const words = [command, ...(Array.isArray(args) ? args : [])].map(String)
  return words.length === 1 ? words[0]! : words.map(quote).join(' ')
}

const quote = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
