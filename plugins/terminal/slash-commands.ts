import bytes from 'bytes'
import type { Conversation } from './conversation.ts'
import type { Outcome } from './following.ts'
import type { AgentRow, FileRow, ThreadRow } from './frames.ts'
import { shorten } from './printable.ts'
import type { Session } from './session.ts'
import { formatTime } from './time.ts'
import type { View } from './view.ts'
import { MOST_LISTED, type WorkspaceFiles } from './workspace-files.ts'

const LISTED_THREADS = 20
const TITLE_COLUMNS = 60

interface SlashCommand {
  usage: string
  summary: string
  run(argument: string): Promise<Outcome | undefined> | 'quit' | undefined
}

/** Makes the function that runs a line beginning with `/`; nothing came of it, a turn was followed, or `quit`. */
export const createSlashCommands = ({
  session,
  agent,
  conversation,
  files,
  view,
}: {
  session: Session
  agent: AgentRow
  conversation: Conversation
  files: WorkspaceFiles
  view: View
}) => {
  const threads = `/agents/${encodeURIComponent(agent.id)}/threads?limit=${LISTED_THREADS}`
  let listed: ThreadRow[] = []
  let next: string | undefined

  /** Lists the threads at a path behind those that are listed; returns how many these are. */
  const listThreads = async (path: string, before: ThreadRow[]): Promise<number> => {
    const page = await session.readPage<ThreadRow>(path)
    listed = [...before, ...page.rows]
    next = page.next
    return before.length
  }

  const commands: Record<string, SlashCommand> = {
    help: {
      usage: '/help',
      summary: 'this list',
      run() {
        const width = Math.max(...Object.values(commands).map(({ usage }) => usage.length))
        for (const { usage, summary } of Object.values(commands))
          view.line(`${usage.padEnd(width)}  ${summary}`)
        view.note(
          'A line that ends in \\ goes on in the next one. Ctrl-C stops an answer, or takes back a message that waits; Ctrl-D leaves.',
        )
        view.note(
          'Where the agent asks before it goes on, Ctrl-C ends the turn and Ctrl-D leaves it waiting.',
        )
        return undefined
      },
    },
    new: {
      usage: '/new',
      summary: 'start a new thread',
      run() {
        conversation.renew()
        view.note('A new thread begins with your next message.')
        return undefined
      },
    },
    threads: {
      usage: '/threads [more]',
      summary: 'list the threads with this agent, or those behind the ones that are listed',
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
      summary: 'go on with a thread, by its number in /threads or its id',
      async run(argument) {
        if (!argument) {
          view.note('Which one? /switch <n|id>, see /threads.')
          return undefined
        }
        if (!/^\d{1,6}$/.test(argument)) return conversation.open(argument)
        if (listed.length === 0) await listThreads(threads, [])
        const thread = listed[Number(argument) - 1]
        if (thread) return conversation.open(thread.thread_id)
        view.note(`There is no thread number ${argument}; see /threads.`)
        return undefined
      },
    },
    fork: {
      usage: '/fork',
      summary: 'go on in a copy of this thread, which stays as it is',
      async run() {
        const id = await conversation.fork()
        view.note(id ? `You go on in thread ${id}.` : 'There is nothing to copy yet.')
        return undefined
      },
    },
    files: {
      usage: '/files [PATH]',
      summary: "list the agent's files, or a folder of them",
      async run(argument) {
        const rows = await files.list(splitWords(argument)[0] ?? '')
        if (rows.length === 0) view.note('There are no files here.')
        const width = Math.max(...rows.map((row) => sizeOf(row).length))
        for (const row of rows) view.line(describeFile(row, width))
        if (rows.length >= MOST_LISTED) view.note(`Only the first ${MOST_LISTED} are shown; name a folder.`)
        return undefined
      },
    },
    save: {
      usage: '/save PATH [TO]',
      summary: "save a file of the agent's here, or as TO; nothing is overwritten",
      async run(argument) {
        const [path, to, ...more] = splitWords(argument)
        if (path === undefined || more.length > 0) {
          view.note('Which one? /save PATH [TO], see /files; a name with spaces stands in quotes.')
          return undefined
        }
        const saved = await files.save(path, to)
        view.note(`Saved ${quoteWord(saved.path)} (${formatSize(saved.size)}).`)
        return undefined
      },
    },
    attach: {
      usage: '/attach FILE',
      summary: 'send a file of yours with the next message',
      async run(argument) {
        const [path, ...more] = splitWords(argument)
        if (path === undefined || more.length > 0) {
          view.note('Which one? /attach FILE; a name with spaces stands in quotes.')
          return undefined
        }
        const file = await files.attach(path)
        conversation.attach(file)
        view.note(`${quoteWord(file.path)} goes with your next message.`)
        return undefined
      },
    },
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
      summary: 'use another model from the next message on',
      run(argument) {
        if (argument) conversation.model = argument
        view.note(`Model: ${conversation.model ?? agent.default_model ?? 'the active one of the server'}`)
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
    view.note(`There is no command /${name}; /help lists them.`)
    return undefined
  }
}

/** The words of a line; quotes hold together what has spaces. */
const splitWords = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain!,
  )

/** A path as `splitWords` takes it. */
const quoteWord = (path: string) =>
  /[\s"']/.test(path) ? (path.includes('"') ? `'${path}'` : `"${path}"`) : path

const formatSize = (size: number) => bytes.format(size, { unitSeparator: ' ', decimalPlaces: 1 })!

const sizeOf = ({ size }: FileRow) => (size === null ? '' : formatSize(size))

const describeFile = (row: FileRow, width: number) =>
  `${formatTime(row.updated_at)}  ${sizeOf(row).padStart(width)}  ${quoteWord(row.path)}${row.kind === 'directory' ? '/' : ''}`

/** Runs lines that begin with `/`. */
export type SlashCommands = ReturnType<typeof createSlashCommands>
