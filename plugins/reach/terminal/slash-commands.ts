import bytes from 'bytes'
import { createCompactCommand } from './compact-command.ts'
import type { Conversation } from './conversation.ts'
import type { Outcome } from './following.ts'
import type { AgentRow, FileRow, ThreadRow } from './frames.ts'
import { formatTime, shorten } from './printable.ts'
import { createPromptCommands } from './prompt-commands.ts'
import type { Questions } from './questions.ts'
import type { Session } from './session.ts'
import type { SlashCommand } from './slash-command.ts'
import { describeDocument } from './upload.ts'
import { createVersionCommands } from './version-commands.ts'
import type { View } from './view.ts'
import { MAX_LISTED, type WorkspaceFiles } from './workspace-files.ts'

const LISTED_THREADS = 20
const TITLE_COLUMNS = 60
const LARGEST = '--largest'

/** Creates the function that runs a line beginning with `/`; returns the outcome of a followed turn, or `quit`. */
export const createSlashCommands = ({
  session,
  agent,
  conversation,
  files,
  questions,
  view,
}: {
  session: Session
  agent: AgentRow
  conversation: Conversation
  files: WorkspaceFiles
  questions: Questions
  view: View
}) => {
  const threads = `/agents/${encodeURIComponent(agent.id)}/threads?limit=${LISTED_THREADS}`
  let listed: ThreadRow[] = []
  let next: string | undefined

  /** Appends the threads at a path to those listed before; returns the number of the latter. */
  const listThreads = async (path: string, earlierRows: ThreadRow[]): Promise<number> => {
    const page = await session.readPage<ThreadRow>(path)
    listed = [...earlierRows, ...page.rows]
    next = page.next
    return earlierRows.length
  }

  const prompts = createPromptCommands({ session, conversation, questions, view })

  const commands: Record<string, SlashCommand> = {
    help: {
      usage: '/help',
      summary: 'show this list',
      run() {
        const width = Math.max(...Object.values(commands).map(({ usage }) => usage.length))
        for (const { usage, summary } of Object.values(commands))
          view.line(`${usage.padEnd(width)}  ${summary}`)
        view.line(`${'/NAME'.padEnd(width)}  send the saved prompt with this name`)
        view.note(
          'A line that ends in \\ continues on the next one. Ctrl-C stops an answer, or cancels a queued message. Ctrl-D leaves.',
        )
        view.note('When the agent needs a decision, Ctrl-C ends the turn and Ctrl-D leaves it waiting.')
        return undefined
      },
    },
    new: {
      usage: '/new',
      summary: 'start a new thread',
      run() {
        conversation.renew()
        view.note('Your next message starts a new thread.')
        return undefined
      },
    },
    threads: {
      usage: '/threads [more]',
      summary: 'list the threads with this agent, or the next page of them',
      async run(argument) {
        const isMore = argument === 'more' && listed.length > 0
        if (isMore && next === undefined) {
          view.note('There are no more threads.')
          return undefined
        }
        const shown = isMore ? await listThreads(next!, listed) : await listThreads(threads, [])
        if (listed.length === 0) view.note('There are no threads yet.')
        for (const [index, thread] of listed.entries())
          if (index >= shown) view.line(describeThread(index + 1, thread))
        if (next !== undefined) view.note('There are more: /threads more')
        return undefined
      },
    },
    switch: {
      usage: '/switch <n|id>',
      summary: 'continue a thread, by its number in /threads or its ID',
      async run(argument) {
        if (!argument) {
          view.note('Which one? /switch <n|id>, see /threads.')
          return undefined
        }
        if (!/^\d{1,6}$/.test(argument)) return conversation.open(argument)
        if (listed.length === 0) await listThreads(threads, [])
        const thread = listed[Number(argument) - 1]
        if (thread) return conversation.open(thread.thread_id)
        view.note(`Thread number ${argument} does not exist; see /threads.`)
        return undefined
      },
    },
    ...createVersionCommands({ conversation, questions, view }),
    fork: {
      usage: '/fork',
      summary: 'continue in a copy of this thread',
      async run() {
        const id = await conversation.fork()
        view.note(id ? `Continuing in thread ${id}.` : 'There is nothing to copy yet.')
        return undefined
      },
    },
    ...createCompactCommand({ conversation, view }),
    files: {
      usage: '/files [--largest] [PATH]',
      summary: "list the agent's files, those in a folder, or the largest ones",
      async run(argument) {
        const words = splitWords(argument)
        const folder = words.find((word) => word !== LARGEST) ?? ''
        const rows = words.includes(LARGEST) ? await files.listLargest(folder) : await files.list(folder)
        if (rows.length === 0) view.note('There are no files here.')
        const width = Math.max(...rows.map((row) => describeSize(row).length))
        for (const row of rows) view.line(describeFile(row, width))
        if (rows.length >= MAX_LISTED)
          view.note(`Only the first ${MAX_LISTED} are shown. Name a folder to see it.`)
        return undefined
      },
    },
    save: {
      usage: '/save PATH [TO]',
      summary: 'save a file of the agent here, or as TO, without overwriting',
      async run(argument) {
        const [path, to, ...more] = splitWords(argument)
        if (path === undefined || more.length > 0) {
          view.note('Which one? /save PATH [TO], see /files; quote a name that has spaces.')
          return undefined
        }
        const saved = await files.save(path, to)
        view.note(`Saved ${quoteWord(saved.path)} (${formatSize(saved.size)}).`)
        return undefined
      },
    },
    attach: {
      usage: '/attach FILE',
      summary: 'send a local file with the next message',
      async run(argument) {
        const [path, ...more] = splitWords(argument)
        if (path === undefined || more.length > 0) {
          view.note('Which one? /attach FILE; quote a name that has spaces.')
          return undefined
        }
        const { block, document } = await files.attach(path)
        conversation.attach(block)
        const facts = describeDocument(document)
        view.note(`${quoteWord(block.path)} will be sent with your next message.${facts}`)
        return undefined
      },
    },
    ...prompts.commands,
    agents: {
      usage: '/agents',
      summary: 'list the agents you can talk to',
      async run() {
        for await (const { id, name, description } of session.list<AgentRow>('/agents?limit=200'))
          view.line(`${id === agent.id ? '*' : ' '} ${name}${description ? `  ${description}` : ''}`)
        view.note('Talk to one of them with: svc chat <name>')
        return undefined
      },
    },
    model: {
      usage: '/model <ref>',
      summary: 'use another model from the next message',
      run(argument) {
        if (argument) conversation.model = argument
        view.note(`Model: ${conversation.model ?? agent.default_model ?? "the server's default model"}`)
        return undefined
      },
    },
    quit: { usage: '/quit', summary: 'leave', run: () => 'quit' },
  }

  const describeThread = (
    number: number,
    { thread_id, title, pinned, last_active, turn_active }: ThreadRow,
  ) => {
    const mark = thread_id === conversation.thread_id ? '*' : ' '
    const when = last_active ? formatTime(last_active) : ''
    const facts = [pinned ? 'pinned' : '', turn_active ? 'running' : ''].filter(Boolean).join(', ')
    return `${mark}${String(number).padStart(3)}  ${when}  ${shorten(title || thread_id, TITLE_COLUMNS)}${facts && `  (${facts})`}`
  }

  return async (line: string): Promise<Outcome | 'quit' | undefined> => {
    const [, name = '', argument = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? []
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (command) return (await command.run(argument.trim())) ?? undefined
    const outcome = await prompts.send(name, argument.trim())
    if (outcome !== 'unknown') return outcome
    view.note(`/${name} is not a command or a saved prompt. Type /help for the list.`)
    return undefined
  }
}

/** Splits a line into words; quotes enclose a word that has spaces. */
const splitWords = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain!,
  )

/** Quotes a path so that `splitWords` returns it as one word. */
const quoteWord = (path: string) =>
  /[\s"']/.test(path) ? (path.includes('"') ? `'${path}'` : `"${path}"`) : path

const formatSize = (size: number) => bytes.format(size, { unitSeparator: ' ', decimalPlaces: 1 })!

const describeSize = ({ size }: FileRow) => (size === null ? '' : formatSize(size))

const describeFile = (row: FileRow, width: number) =>
  `${formatTime(row.updated_at)}  ${describeSize(row).padStart(width)}  ${quoteWord(row.path)}${row.kind === 'directory' ? '/' : ''}`

/** Runs lines that begin with `/`. */
export type SlashCommands = ReturnType<typeof createSlashCommands>
