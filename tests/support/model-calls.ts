import { type FakeVendor, startFakeVendor } from '../../plugin-api/testing/fake-vendor.ts'
import type { Test } from '../run/file-test.ts'

export * from '../../plugin-api/testing/model-calls.ts'

/** Waits for a fake to start and closes it with the test. */
export async function startFake<Fake extends { close(): Promise<void> }>(
  t: Test,
  starting: Promise<Fake>,
): Promise<Fake> {
  const fake = await starting
  t.teardown(() => fake.close())
  return fake
}

/** Starts a server that answers every request with this text, in pieces of `size` bytes. */
export const startAnswering = (
  t: Test,
  text: string,
  { type = 'text/event-stream', size = 1000, basePath = '' } = {},
): Promise<FakeVendor> =>
  startFake(
    t,
    startFakeVendor({
      basePath,
      async serve({ open, write, end }) {
        open(type)
        const bytes = new TextEncoder().encode(text)
        for (let at = 0; at < bytes.length; at += size) await write(bytes.slice(at, at + size))
        end()
      },
    }),
  )
