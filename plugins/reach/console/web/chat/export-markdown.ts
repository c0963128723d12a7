import { saveBlob } from '../agents/files.ts'
import { formatDate } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import { readText } from './store/thread-store.ts'
import type { Message } from './store/thread-view.ts'

const PAGE = 200

/** Saves a whole conversation as a Markdown file. */
export async function exportMarkdown(id: string, thread_id: string, title: string): Promise<void> {
  const params = { path: { id, thread_id } }
  const messages: Message[] = []
  let cursor: string | null | undefined
  do {
    const query = { limit: PAGE, ...(cursor ? { cursor } : {}) }
    const page = await send(
      client.GET('/agents/{id}/threads/{thread_id}/history', { params: { ...params, query } }),
    )
    messages.unshift(...page.messages)
    cursor = page.next_cursor
  } while (cursor)
  const parts = messages.flatMap(({ role, content, timestamp }) => {
    const text = readText(content)
    if (role === 'tool' || text === '') return []
    const name = t(role === 'user' ? 'chat.you' : 'chat.agent')
    return [`## ${name} · ${formatDate(timestamp / 1000)}\n\n${text}`]
  })
  const text = [`# ${title}`, ...parts].join('\n\n')
  saveBlob(new Blob([text], { type: 'text/markdown' }), `${title.replace(/[/\\:*?"<>|]+/g, ' ').trim()}.md`)
}
