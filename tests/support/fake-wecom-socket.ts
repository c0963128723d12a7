import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { WebSocket, WebSocketServer } from 'ws'
import { type Body, Refusal } from './fake-wecom-board.ts'

/** Time limit of waiting for an offline bot, in milliseconds. */
const PATIENCE_MS = 40_000

/** Resolves with true when the bot has read everything; false if the socket closes before. */
function isRead(socket: WebSocket): Promise<boolean> {
  return new Promise((resolve) => {
    const token = randomUUID()
    const end = (isRead: boolean) => {
      socket.off('pong', pong).off('close', close)
      resolve(isRead)
    }
    const pong = (data: Buffer) => {
      if (String(data) === token) end(true)
    }
    const close = () => end(false)
    socket.on('pong', pong).on('close', close)
    if (socket.readyState === socket.OPEN) socket.ping(token)
    else end(false)
  })
}

/** Handles the bot's commands by name; returns the body of the confirmation. */
type Commands = Record<string, (req_id: string, body: Body) => Body | undefined>

/** The platform's end of the sockets: one robot, of whose connections only the newest lives. */
export function createSockets(
  server: WebSocketServer,
  robot: { bot_id: string; secret: string },
  commands: Commands,
  violations: string[],
) {
  const all = new Set<WebSocket>()
  let current: WebSocket | undefined
  let isMute = false
  let refusal: Refusal | undefined
  let held: (() => void)[] | undefined
  let poison: string | undefined
  const seen: string[] = []

  const send = (socket: WebSocket, frame: Body) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame))
  }

  function subscribe(socket: WebSocket, { bot_id, secret }: Body) {
    if (current === socket) violations.push('a connection subscribed twice')
    if (refusal) throw refusal
    if (bot_id !== robot.bot_id || secret !== robot.secret)
      throw new Refusal(853000, 'invalid bot_id or secret')
    const kicked = current
    current = socket
    if (!kicked) return
    const event = { eventtype: 'disconnected_event', disconnected_event: {} }
    const body = { msgid: `kick-${seen.length}`, create_time: 1, aibotid: bot_id, msgtype: 'event', event }
    send(kicked, { cmd: 'aibot_event_callback', headers: { req_id: `kick-${seen.length}` }, body })
    kicked.close()
  }

  function take(socket: WebSocket, text: string) {
    const { cmd, headers, body = {} } = JSON.parse(text) as Body
    // Half a character is escaped in JSON.
    if (/\\ud[89a-f]/i.test(text)) violations.push('a frame had half a character')
    const req_id = headers?.req_id
    if (typeof req_id !== 'string' || req_id === '') return void violations.push('a frame had no req_id')
    seen.push(cmd)
    if (isMute) return
    if (poison !== undefined && text.includes(poison)) return socket.close()
    const confirm = (fields: Body) => send(socket, { headers: { req_id }, ...fields })
    try {
      let result: Body | undefined
      if (cmd === 'aibot_subscribe') subscribe(socket, body)
      else if (socket !== current) throw new Refusal(846609, 'aibot websocket not subscribed')
      else if (cmd !== 'ping') {
        const command = commands[cmd]
        if (!command) throw new Refusal(40008, 'unknown cmd')
        result = command(req_id, body)
      }
      const answer = () => confirm({ errcode: 0, errmsg: 'ok', ...(result && { body: result }) })
      if (held && cmd !== 'ping') held.push(answer)
      else answer()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      confirm({ errcode: error.errcode, errmsg: error.message })
    }
  }

  server.on('connection', (socket) => {
    all.add(socket)
    socket.setMaxListeners(0)
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      all.delete(socket)
      if (current === socket) current = undefined
    })
    socket.on('message', (data) => {
      try {
        take(socket, String(data))
      } catch (error) {
        violations.push(`a frame broke the platform: ${(error as Error).message}`)
      }
    })
  })

  /** Waits for the bot. */
  async function bot(): Promise<WebSocket> {
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await wait(5)) {
      if (current?.readyState === current?.OPEN && current) return current
    }
    throw new Error('the bot did not connect')
  }

  return {
    /** All commands that came, in their order. */
    seen,

    /** Sends a callback and waits until the bot has read it, which its pong tells; another connection gets it again. */
    async deliver(frame: () => Body) {
      for (const until = Date.now() + PATIENCE_MS; Date.now() < until; ) {
        const socket = await bot()
        send(socket, frame())
        if (await isRead(socket)) return
      }
      throw new Error('the bot did not read a callback')
    },

    /** Closes the connection after each frame with this text. */
    closeAfter(text: string) {
      poison = text
    },

    /** Sends what no platform should. */
    async sendRaw(...frames: (string | Buffer)[]) {
      const socket = await bot()
      for (const frame of frames) socket.send(frame)
      await isRead(socket)
    },

    count: () => (current?.readyState === current?.OPEN && current ? 1 : 0),

    drop() {
      held = undefined
      for (const socket of all) socket.terminate()
    },

    /** Answers nothing from now on. */
    mute() {
      isMute = true
    },

    /** Forgets the subscription of the connection, which stays open. */
    unsubscribe() {
      current = undefined
    },

    /** Refuses to subscribe with this code. */
    refuse(errcode: number) {
      refusal = new Refusal(errcode, 'refused')
    },

    /** Keeps confirmations back until they are released. */
    hold() {
      held = []
      return () => {
        const waiting = held ?? []
        held = undefined
        for (const answer of waiting) answer()
      }
    },
  }
}
