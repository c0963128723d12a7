import { JSON_OPTION, printJson } from '#plugin-api'
import { shorten } from './printable.ts'
import { readAnswer } from './service.ts'
import { accountCommand } from './signed-in.ts'

/** The most results that are shown. */
const MAX_RESULTS = 20
/** The width of a title and of a text in a line of output. */
const COLUMNS = { title: 60, text: 200 }

/** `svc search`: finds words in the account's conversations. */
export const searchCommand = accountCommand(
  {
    name: 'search',
    summary: 'Search your conversations',
    arguments: [
      { name: 'words...', summary: 'Words, or a phrase in double quotation marks', required: true },
    ],
    options: [JSON_OPTION],
  },
  async ({ args, options, stdout }, at) => {
    const query = { q: (args as string[]).join(' '), limit: MAX_RESULTS }
    const rows = await readAnswer(at.service.GET('/search', { params: { query } }), at.url)
    if (options.json) return printJson(stdout, rows)
    if (rows.length === 0) return void stdout.write('Nothing was found.\n')
    for (const [index, { agent_name, title, timestamp, thread_id, snippet }] of rows.entries()) {
      const day = new Date(timestamp).toISOString().slice(0, 10)
      const text = snippet.map((part) => part.text).join('')
      const name = shorten(title ?? '', COLUMNS.title)
      stdout.write(`${index + 1}. ${name}  ${shorten(agent_name, COLUMNS.title)}  ${day}  ${thread_id}\n`)
      stdout.write(`   ${shorten(text, COLUMNS.text)}\n`)
    }
  },
)
