import { type Block, buttonsOf, complaintAboutBlocks, textOfBlocks } from './fake-slack-blocks.ts'
import { APP_TOKEN, BOT_TOKEN, BOT_USER, type Message, type World } from './fake-slack-world.ts'

type Fields = Record<string, string>
type Answer = { ok: boolean; error?: string; [field: string]: unknown }

const refused = (error: string, more: object = {}): Answer => ({ ok: false, error, ...more })

/** Slack takes no text of nothing but blanks. */
const isVisible = (text: string | undefined) => text !== undefined && text.trim() !== ''

/** Methods that only take the app-level token; all others take the bot's. */
const FOR_APPS = new Set(['apps.connections.open'])

/** Answers calls of the Web API as Slack does. */
export function createFakeSlackApi(world: World, address: () => string, issueTicket: () => string) {
  const { messages, files, violations } = world

  function contentOf(fields: Fields, isUpdate: boolean): Answer | Pick<Message, 'text' | 'blocks'> {
    const { text, markdown_text, blocks: written } = fields
    if (markdown_text !== undefined && (text !== undefined || written !== undefined))
      return refused('markdown_text_conflict')
    if (!isVisible(text) && !isVisible(markdown_text) && !written) return refused('no_text')
    if ((markdown_text?.length ?? 0) > 12_000 || (text?.length ?? 0) > 40_000) return refused('msg_too_long')
    if (!written) return { text: (markdown_text ?? text)!, blocks: [] }
    if (!text) violations.push('a message with blocks has no text for notifications')
    const blocks = JSON.parse(written) as Block[]
    const complaint = complaintAboutBlocks(blocks)
    if (complaint)
      return refused(complaint, {
        response_metadata: { messages: ['[ERROR] failed to match all allowed schemas'] },
      })
    if (blocks.length === 0 && !isUpdate) return refused('no_text')
    return { text: textOfBlocks(blocks) || text!, blocks }
  }

  const find = ({ channel, ts }: Fields) =>
    messages.find((message) => message.channel === channel && message.ts === ts)

  const isChannel = (channel: string | undefined) => /^[CD]0/.test(channel ?? '')

  function threadComplaint({ channel, thread_ts }: Fields): string | undefined {
    if (!thread_ts) return
    const parent = messages.find((message) => message.channel === channel && message.ts === thread_ts)
    if (!parent) return 'thread_not_found'
    if (parent.thread_ts) violations.push('a thread is named after a reply in it')
  }

  const methods: Record<string, (fields: Fields) => Answer> = {
    'auth.test': () => ({
      ok: true,
      url: 'https://fake.slack.com/',
      team: 'Fake',
      team_id: 'T0FAKE',
      user: 'bot',
      user_id: BOT_USER,
      bot_id: 'B0BOT',
    }),

    'apps.connections.open': () => ({ ok: true, url: issueTicket() }),

    'chat.postMessage'(fields) {
      const { channel, thread_ts, client_msg_id } = fields
      if (!isChannel(channel)) return refused('channel_not_found')
      const complaint = threadComplaint(fields)
      if (complaint) return refused(complaint)
      if (client_msg_id && !/^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/.test(client_msg_id))
        violations.push('a client_msg_id is no UUID')
      const content = contentOf(fields, false)
      if ('ok' in content) return content
      const duplicate = client_msg_id && messages.find((message) => message.client_msg_id === client_msg_id)
      if (duplicate) return { ok: true, channel: duplicate.channel, ts: duplicate.ts }
      const ts = world.nextTs()
      messages.push({
        ts,
        channel: channel!,
        isBots: true,
        history: [],
        ...content,
        ...(thread_ts && { thread_ts }),
        ...(client_msg_id && { client_msg_id }),
      })
      world.events.emit('shown', ts)
      return { ok: true, channel, ts, message: { type: 'message', text: content.text, bot_id: 'B0BOT', ts } }
    },

    'chat.update'(fields) {
      const message = find(fields)
      if (!message) return refused('message_not_found')
      if (!message.isBots) return refused('cant_update_message')
      const content = contentOf(fields, true)
      if ('ok' in content) return content
      message.history.push(message.text)
      message.text = content.text
      // Slack does not say whether old blocks go where `markdown_text` comes, so they stay here.
      if (fields.blocks !== undefined || fields.text !== undefined) {
        if (buttonsOf(message.blocks).length > 0) message.oldBlocks = message.blocks
        message.blocks = content.blocks
      }
      world.events.emit('shown', message.ts)
      return { ok: true, channel: message.channel, ts: message.ts, text: message.text }
    },

    'chat.postEphemeral'(fields) {
      const { channel, user, thread_ts } = fields
      if (!isChannel(channel)) return refused('channel_not_found')
      if (!user) return refused('invalid_arguments')
      const content = contentOf(fields, false)
      if ('ok' in content) return content
      world.whispers.push({ user, channel: channel!, text: content.text, ...(thread_ts && { thread_ts }) })
      world.events.emit('shown', 'whisper')
      return { ok: true, message_ts: world.nextTs() }
    },

    'assistant.threads.setStatus'({ channel_id, thread_ts, status }) {
      if (!isChannel(channel_id)) return refused('channel_not_found')
      if (!thread_ts) return refused('invalid_arguments')
      const complaint = threadComplaint({ channel: channel_id!, thread_ts })
      if (complaint) return refused('invalid_thread_ts')
      if (status) world.typings++
      return { ok: true }
    },

    'files.getUploadURLExternal'({ filename, length }) {
      if (!filename || !(Number(length) > 0)) return refused('missing_argument')
      if (!world.scopes.includes('files:write')) return refused('missing_scope', { needed: 'files:write' })
      const id = `F0UP${files.size}`
      files.set(id, {
        id,
        filename,
        media_type: '',
        bytes: new Uint8Array(),
        length: Number(length),
        isShared: false,
      })
      return { ok: true, upload_url: `${address()}/upload/v1/${id}?signature=secretOfTheUpload`, file_id: id }
    },

    'files.completeUploadExternal'(fields) {
      const { channel_id, thread_ts } = fields
      if (!isChannel(channel_id)) return refused('channel_not_found')
      const complaint = threadComplaint({ ...fields, channel: channel_id! })
      if (complaint) return refused(complaint)
      for (const { id } of JSON.parse(fields.files!) as { id: string }[]) {
        const file = files.get(id)
        if (!file || file.isShared || file.bytes.length !== file.length) return refused('file_not_found')
        file.isShared = true
        file.channel = channel_id!
        const { filename, media_type, bytes } = file
        messages.push({
          ts: world.nextTs(),
          channel: channel_id!,
          isBots: true,
          text: '',
          blocks: [],
          history: [],
          file: { filename, media_type, bytes },
          ...(thread_ts && { thread_ts }),
        })
      }
      return { ok: true, files: [] }
    },

    'files.info'({ file: id }) {
      const file = files.get(id ?? '')
      if (!world.scopes.includes('files:read')) return refused('missing_scope', { needed: 'files:read' })
      if (!file) return refused('file_not_found')
      const { filename, channel, fields } = file
      const shares = channel ? { public: { [channel]: [{}] } } : {}
      const url_private_download = `${address()}/files-pri/${id}`
      return { ok: true, file: { id, name: filename, url_private_download, shares, ...fields } }
    },
  }

  return {
    call(method: string, token: string, fields: Fields): Answer {
      world.calls.push({ method, fields })
      const serve = methods[method]
      if (!serve) return refused('unknown_method')
      if (!token) return refused('not_authed')
      if (token !== BOT_TOKEN && token !== APP_TOKEN) return refused('invalid_auth')
      if (FOR_APPS.has(method) !== (token === APP_TOKEN)) return refused('not_allowed_token_type')
      return serve(fields)
    },
  }
}
