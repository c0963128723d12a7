import assert from 'node:assert/strict'
import { testPlugin } from 'agent-platform-service/plugin-api/testing'
import plugin from '../src/index.js'

testPlugin({
  plugin,
  cases: {
    'the module of the button is served, and its route stores a note': async ({ url, request }) => {
      const { slots } = (await request('GET', '/console')).body
      const slot = slots.find((one: { plugin: string }) => one.plugin === '{{name}}')
      assert.equal(slot.slot, 'message.actions')
      const module = await fetch(new URL(slot.module, url))
      assert.equal(module.status, 200)
      assert.match(await module.text(), /export default/)
      assert.equal((await request('POST', '/{{name}}', { text: 'An answer' })).status, 201)
    },
  },
})
