import { gzipSync } from 'node:zlib'
import t from '../run/file-test.ts'
import { bundleForBrowser } from '../support/browser-bundle.ts'
import { generateClientTypes, readClientTypes } from '../support/client-types.ts'

const MAX_BYTES = 12_000

t.test('the types of the client are those of the document', async (t) => {
  t.ok(
    (await generateClientTypes()) === readClientTypes(),
    'run `npm run client-types` and commit client/api.ts',
  )
})

t.test('the client for browsers is small, and has no other dependency than openapi-fetch', async (t) => {
  const source = "export * from 'agent-platform-service/client'"
  const { code, modules } = await bundleForBrowser(source, { minify: true })
  const size = gzipSync(code).length
  t.ok(size > 1000 && size <= MAX_BYTES, `${size} bytes`)
  const packages = modules.flatMap((file) => /node_modules\/([^/]+)/.exec(file)?.[1] ?? [])
  t.strictSame([...new Set(packages)], ['openapi-fetch'])
})
