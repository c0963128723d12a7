import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { HookReply, HookRequest } from '#plugin-api'
import type { FakePlatform, Place, Saying, ShownMessage } from '../../plugin-api/testing/fake-platform.ts'

const APP_SECRET = '0123456789abcdef0123456789abcdef'
const TOKEN = 'EAAtoken-of-a-system-user'
/** The id of the number, and the number as people see it. */
const PHONE_NUMBER_ID = '106540352242922'
export const DISPLAY_NUMBER = '+1 555 078 3881'
const GROUP = 'Y2FwaV9ncm91cDoxNzA1NTU'

/** A call that the fake took, with its JSON. */
export interface GraphCall {
  path: string
  // biome-ignore lint/suspicious/noExplicitAny: the content of a message depends on its type
  content: any
}

/** The controls that only this fake has. */
export interface FakeWhatsApp extends FakePlatform {
  /** Answers the next call with an error of the Graph API. */
  refuseNext(status: number, error: object, headers?: Record<string, string>): void
  /** The messages and marks that were sent, oldest first. */
  calls: GraphCall[]
  /** The id of the last message or press. */
  lastId(): string
  /** Posts a signed body, and returns the answer. */
  post(content: object, changes?: { signature?: string; body?: string }): Promise<HookReply>
  /** Posts messages as WhatsApp does, with the contacts of their authors. */
  deliver(messages: object[], more?: { phone_number_id?: string; statuses?: object[] }): Promise<HookReply>
  /** Adds a file that messages can name; `url` replaces its address. */
  addMedia(id: string, file: { media_type: string; bytes: Uint8Array; url?: string }): void
  request(request: Partial<HookRequest>): Promise<HookReply>
}

/** Starts the Graph API with one number, which calls the server's webhook. */
export async function startFakeWhatsApp(): Promise<FakeWhatsApp> {
  const shown: (ShownMessage & { values: Map<string, string> })[] = []
  const calls: GraphCall[] = []
  const said = new Map<string, object>()
  const media = new Map<string, { media_type: string; bytes: Uint8Array; filename?: string; url?: string }>()
  const violations: string[] = []
  let hook: ((request: HookRequest) => Promise<HookReply>) | undefined
  let refusals: { status: number; error: object; headers: Record<string, string> }[] = []
  let typings = 0
  /** Ids are unique on the platform. */
  const stamp = randomUUID().slice(0, 8)
  let lastId = ''
  let count = 0

  const refusal = (code: number, message: string, status = 400) => ({
    status,
    answer: { error: { code, message } },
  })

  /** Takes a message, or returns the refusal that WhatsApp would. */
  // biome-ignore lint/suspicious/noExplicitAny: see GraphCall
  const takeMessage = (content: any) => {
    if (content.messaging_product !== 'whatsapp') return refusal(100, '(#100) messaging_product is required')
    if (content.status === 'read') {
      typings += 1
      if (!said.has(content.message_id)) violations.push('a mark names a message that nobody sent')
      return { status: 200, answer: { success: true } }
    }
    const { type, to, interactive } = content
    const place: Place = content.recipient_type === 'group' ? 'group' : 'direct'
    if (place === 'group' && to !== GROUP) return refusal(100, '(#100) Invalid parameter: to')
    const text: string = content.text?.body ?? interactive?.body?.text ?? ''
    if (type === 'text' && (text === '' || text.length > 4096))
      return refusal(100, "(#100) Param text['body'] must be at most 4096 characters long")
    if (/\p{Cs}/u.test(text)) violations.push('a text has half a character')
    const values = new Map<string, string>()
    if (type === 'interactive') {
      const { buttons } = interactive.action
      if (place === 'group') return refusal(131009, 'Interactive messages are not supported in groups')
      if (text.length > 1024)
        return refusal(131009, 'Body text length invalid. Min length: 1, Max length: 1024')
      if (buttons.length < 1 || buttons.length > 3) return refusal(131009, 'Invalid buttons count')
      for (const { reply } of buttons) {
        if ([...reply.title].length > 20) return refusal(131009, 'Button title length invalid')
        values.set(reply.title, reply.id)
      }
    }
    const upload = content[type]?.id === undefined ? undefined : media.get(content[type].id)
    if (['image', 'video', 'audio', 'document'].includes(type) && !upload)
      return refusal(131009, 'The media id does not exist')
    count += 1
    const id = `wamid.out${count}`
    shown.push({
      id,
      place,
      text,
      history: [],
      is_live: false,
      buttons: [...values.keys()],
      values,
      ...(upload && {
        file: { filename: upload.filename ?? '', media_type: upload.media_type, bytes: upload.bytes },
      }),
    })
    return { status: 200, answer: { messaging_product: 'whatsapp', contacts: [], messages: [{ id }] } }
  }

  const takeUpload = async (bytes: Buffer, type = '') => {
    const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
    const file = form.get('file') as File
    const id = `media${media.size + 1}`
    media.set(id, {
      media_type: file.type,
      filename: file.name,
      bytes: new Uint8Array(await file.arrayBuffer()),
    })
    return { status: 200, answer: { id } }
  }

  const answerCall = async (request: IncomingMessage, body: Buffer) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://fake')
    const path = pathname.replace('/v23.0/', '')
    if (request.headers.authorization !== `Bearer ${TOKEN}`)
      return refusal(190, 'Invalid OAuth access token - Cannot parse access token', 401)
    const isSending = request.method === 'POST' && !body.includes('"status":"read"')
    const [next] = refusals
    if (next && (isSending || path !== `${PHONE_NUMBER_ID}/messages`)) {
      refusals = refusals.slice(1)
      return { status: next.status, answer: next.error, headers: next.headers }
    }
    if (path === `${PHONE_NUMBER_ID}/messages`) {
      const content = JSON.parse(body.toString())
      calls.push({ path, content })
      return takeMessage(content)
    }
    if (path === `${PHONE_NUMBER_ID}/media`) return takeUpload(body, request.headers['content-type'])
    if (path === PHONE_NUMBER_ID) {
      const proof = createHmac('sha256', APP_SECRET).update(TOKEN).digest('hex')
      if (searchParams.get('appsecret_proof') !== proof)
        return refusal(100, 'Invalid appsecret_proof provided in the API argument')
      return { status: 200, answer: { id: PHONE_NUMBER_ID, display_phone_number: DISPLAY_NUMBER } }
    }
    const file = media.get(path)
    if (file)
      return {
        status: 200,
        answer: { id: path, url: file.url ?? `${url}/files/${path}`, mime_type: file.media_type },
      }
    return {
      status: 400,
      answer: {
        error: { code: 100, error_subcode: 33, message: 'Unsupported get request. Object does not exist' },
      },
    }
  }

  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const id = /^\/files\/(.+)$/.exec(request.url ?? '')?.[1]
    if (id !== undefined) {
      const file = request.headers.authorization === `Bearer ${TOKEN}` ? media.get(id) : undefined
      response.writeHead(file ? 200 : 404, { 'content-type': file?.media_type }).end(file?.bytes)
      return
    }
    const {
      status,
      answer,
      headers = {},
    } = (await answerCall(request, body)) as {
      status: number
      answer: object
      headers?: Record<string, string>
    }
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const request = async (changes: Partial<HookRequest>): Promise<HookReply> => {
    for (let waited = 0; !hook; waited += 10) {
      if (waited > 40_000) throw new Error('the fake was never told how to reach the server')
      await pause(10)
    }
    return hook({ method: 'POST', headers: {}, query: {}, body: new Uint8Array(), ...changes })
  }

  const post: FakeWhatsApp['post'] = (content, { body = JSON.stringify(content), signature } = {}) => {
    const expected = `sha256=${createHmac('sha256', APP_SECRET).update(body).digest('hex')}`
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature ?? expected }
    return request({ headers, body: Buffer.from(body) })
  }

  const deliver: FakeWhatsApp['deliver'] = (
    messages,
    { phone_number_id = PHONE_NUMBER_ID, statuses } = {},
  ) => {
    const authors = new Set((messages as { from?: string }[]).flatMap(({ from }) => from ?? []))
    const value = {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: DISPLAY_NUMBER, phone_number_id },
      contacts: [...authors].map((wa_id) => ({ profile: { name: wa_id }, wa_id })),
      messages,
      ...(statuses && { statuses }),
    }
    const entry = [{ id: '102290129340398', changes: [{ value, field: 'messages' }] }]
    return post({ object: 'whatsapp_business_account', entry })
  }

  const deliverOne = async (message: object) => {
    const answer = await deliver([message])
    if (answer.status !== 200) throw new Error(`the message was answered ${answer.status} ${answer.body}`)
  }

  const toMessage = (
    id: string,
    { text, place = 'direct', sender = 'ann', mention = true, sent_at, file }: Saying,
  ) => {
    const written = place === 'group' && mention ? `@${DISPLAY_NUMBER.replaceAll(/\D/g, '')} ${text}` : text
    const base = {
      id,
      from: sender,
      timestamp: String(Math.floor((sent_at ?? Date.now()) / 1000)),
      ...(place === 'group' && { group_id: GROUP }),
    }
    if (!file) return { ...base, type: 'text', text: { body: written } }
    media.set(`in-${id}`, file)
    const document = { id: `in-${id}`, mime_type: file.media_type, filename: file.filename, caption: written }
    return { ...base, type: 'document', document }
  }

  const nextId = () => {
    count += 1
    lastId = `wamid.${stamp}${count}`
    return lastId
  }

  const config = {
    phone_number_id: PHONE_NUMBER_ID,
    access_token: TOKEN,
    app_secret: APP_SECRET,
    verify_token: 'a word of ours',
  }
  return {
    endpoints: { api: `${url}/v23.0` },
    config,
    wrong_config: { ...config, access_token: 'EAAsomething-else' },
    attach(newHook) {
      hook = newHook
    },
    async say(saying) {
      const id = saying.id ?? nextId()
      said.set(id, toMessage(id, saying))
      await deliverOne(said.get(id)!)
      return id
    },
    redeliver: (id) => deliverOne(said.get(id)!),
    shown: (place) => shown.filter((message) => place === undefined || message.place === place),
    async press(message_id, label, sender = 'ann') {
      const message = shown.find(({ id }) => id === message_id)!
      const id = nextId()
      const button_reply = { id: message.values.get(label), title: label }
      const base = { id, from: sender, timestamp: String(Math.floor(Date.now() / 1000)) }
      said.set(id, { ...base, type: 'interactive', interactive: { type: 'button_reply', button_reply } })
      const earlier = shown.length
      await deliverOne(said.get(id)!)
      return shown.slice(earlier)[0]?.text
    },
    connections: () => 0,
    drop: () => server.closeAllConnections(),
    limitRate(number, seconds) {
      const error = { error: { code: 130429, message: '(#130429) Rate limit hit' } }
      refusals = Array(number).fill({ status: 429, error, headers: { 'retry-after': String(seconds) } })
    },
    fail(number) {
      const error = { error: { code: 131000, message: 'Something went wrong' } }
      refusals = Array(number).fill({ status: 500, error, headers: {} })
    },
    typings: () => typings,
    violations,
    refuseNext(status, error, headers = {}) {
      refusals.push({ status, error: { error }, headers })
    },
    calls,
    lastId: () => lastId,
    post,
    deliver,
    addMedia: (id, file) => void media.set(id, file),
    request,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
