import type { JSONValue } from '#plugin-api'
import matrix from '../../channels/matrix/index.ts'
import type { Test } from '../run/file-test.ts'
import { startFakeMatrix } from '../support/fake-matrix.ts'
import { openChannel } from '../support/open-channel.ts'

/** A homeserver on loopback; the test fails if the bot did what it should not. */
export async function startMatrix(t: Test) {
  const platform = await startFakeMatrix()
  t.teardown(async () => {
    await platform.close()
    if (platform.violations.length > 0) throw new Error(platform.violations.join(', '))
  })
  return platform
}

/** A homeserver, and a channel that is connected to it. */
export async function openMatrix(t: Test, options: Parameters<typeof openChannel>[3] = {}) {
  const platform = await startMatrix(t)
  return { platform, ...(await openChannel(t, matrix, platform, options)) }
}

/** A cursor that keeps its position when the channel is opened again. */
export function createCursor() {
  let position: JSONValue | undefined
  return {
    get: () => position,
    async set(value: JSONValue) {
      position = value
    },
  }
}

let count = 0

/** A message with a key of its own. */
export const message = (text: string) => ({ text, key: String(++count).padStart(26, '0') })
