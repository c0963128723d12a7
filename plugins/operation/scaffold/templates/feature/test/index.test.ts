import assert from 'node:assert/strict'
import { testPlugin } from 'agent-platform-service/plugin-api/testing'
import plugin from '../src/index.js'

testPlugin({
  plugin,
  cases: {
    'a note is stored by those who may': async ({ createUser, request }) => {
      const ann = await createUser({ username: 'ann', permissions: ['__SNAKE__'] })
      const bob = await createUser({ username: 'bob' })
      const added = await request('POST', '/{{name}}', { text: 'Buy milk' }, ann)
      assert.equal(added.status, 201)
      assert.equal(added.body.text, 'Buy milk')
      assert.equal((await request('POST', '/{{name}}', { text: 'Buy milk' }, bob)).status, 403)
      assert.equal((await request('POST', '/{{name}}', { words: 'Buy milk' }, ann)).status, 422)
    },
  },
})
