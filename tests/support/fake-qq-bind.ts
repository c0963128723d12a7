import { createCipheriv, randomBytes } from 'node:crypto'
import { type QqReply, type QqRequest, refuse } from './fake-qq-http.ts'

/** The status of a task: not scanned, completed or expired. */
const WAITING = 1
const COMPLETED = 2
const EXPIRED = 3

interface Task {
  key: Buffer
  status: number
  secret: string
}

/** The QR codes that link a bot. */
interface FakeQqBind {
  serve(request: QqRequest): QqReply | undefined
  /** Scans the latest code as a person; with `failed` the encrypted secret cannot be decrypted. */
  scan(outcome: 'success' | 'expired' | 'failed'): void
  /** The keys that were given, which nobody else may see. */
  keys(): string[]
}

/** Serves `/lite/…`; a success returns these credentials. */
export function createFakeQqBind({ app_id, secret }: { app_id: string; secret: string }): FakeQqBind {
  const tasks = new Map<string, Task>()
  const ok = (data: object): QqReply => ({ status: 200, body: { retcode: 0, msg: 'success', data } })

  /** As QQ seals a secret: nonce, ciphertext, tag. */
  function seal(text: string, key: Buffer): string {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64')
  }

  return {
    keys: () => [...tasks.values()].map(({ key }) => key.toString('base64')),
    serve({ method, path, body, headers }) {
      if (!path.startsWith('/lite/')) return undefined
      if (method !== 'POST' || !headers.accept?.includes('application/json'))
        return { status: 200, bytes: Buffer.from('<html>please verify that you are no robot</html>') }
      if (path === '/lite/create_bind_task') {
        const key = Buffer.from(String(body.key), 'base64')
        if (key.length !== 32) return { status: 200, body: { retcode: 40001, msg: 'bad key' } }
        const task_id = randomBytes(12).toString('hex')
        tasks.set(task_id, { key, status: WAITING, secret: '' })
        return ok({ task_id })
      }
      if (path !== '/lite/poll_bind_result') return refuse(404, 0, 'not found')
      const task = tasks.get(body.task_id)
      if (!task) return { status: 200, body: { retcode: 40002, msg: 'no such task' } }
      const isDone = task.status === COMPLETED
      return ok({
        status: task.status,
        bot_appid: isDone ? app_id : '0',
        bot_encrypt_secret: task.secret,
        user_openid: isDone ? 'ann' : '',
      })
    },
    scan(outcome) {
      const task = [...tasks.values()].at(-1)
      if (!task) throw new Error('there is no code to scan')
      task.status = outcome === 'expired' ? EXPIRED : COMPLETED
      if (outcome === 'success') task.secret = seal(secret, task.key)
      if (outcome === 'failed') task.secret = seal(secret, randomBytes(32))
    },
  }
}
