import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { testPlugin } from '../../plugin-api/testing/index.ts'
import t from '../run/file-test.ts'
import { startChat } from '../support/chat.ts'
import { kitOptions } from '../support/kit.ts'
import { readRecipe } from '../support/readme.ts'

t.test('the reader of docs/plugins.md takes the place of the one for mail', async (t) => {
  const mail = [
    'From: Ann <ann@example.org>',
    'Subject: The keys',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'They are in the caf=C3=A9, second =',
    'shelf.',
  ]
  const { agent_id, server } = await startChat(t, {
    plugins: { 'plain-mail': readRecipe('plugins/plain-mail/index.js') },
  })
  const form = new FormData()
  form.set('file', new Blob([mail.join('\r\n')]), 'keys.eml')
  const { body: stored } = await server.request('POST', `/agents/${agent_id}/upload`, { body: form })
  const path = encodeURIComponent(stored.path)
  t.match(await server.request('GET', `/agents/${agent_id}/files/document?path=${path}`), {
    status: 200,
    body: {
      kind: 'eml',
      pages: [
        { page: 1, text: 'The keys\n\nFrom: Ann <ann@example.org>\n\nThey are in the café, second shelf.' },
      ],
    },
  })
})

const file = join(t.testdir({ 'package.json': '{ "type": "module" }' }), 'index.js')
writeFileSync(
  file,
  `const reader = (name, read) => ({ name, media_types: [], extensions: [name], read, module: import.meta.url })
   export default {
     name: 'lids',
     summary: 'Reads lids',
     kernel: 1,
     setup(host) {
       host.check('lids', () => 'they fit')
       host.extend('documents.readers', reader('open', async ({ name }) => ({ pages: [{ page: 2, text: name }] })))
       host.extend('documents.readers', reader('stuck', () => { throw new Error('the lid is stuck') }))
       host.extend('documents.readers', reader('empty', async () => ({ pages: [{}] })))
     },
   }`,
)
const { default: plugin } = await import(pathToFileURL(file).href)

testPlugin({
  ...kitOptions(t),
  plugin,
  cases: {
    'a reader returns pages': async ({ readDocument }) => {
      assert.deepEqual(await readDocument('a.open', 'x'), [
        { page: 1, text: '' },
        { page: 2, text: 'a.open' },
      ])
    },
    'its author finds the reason of a failure in the log': async ({ readDocument, logged }) => {
      await assert.rejects(readDocument('a.stuck', 'x'), /DOCUMENT_DAMAGED/)
      assert.match(logged(), /the lid is stuck/)
      await assert.rejects(readDocument('a.empty', 'x'), /DOCUMENT_DAMAGED/)
      assert.match(logged(), /must have a `text`/)
    },
  },
})
