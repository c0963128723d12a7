import t, { type Test } from 'tap'
import { startServer } from '../support/server.ts'
import { eventually } from '../support/channel-kind-suite.ts'

/** A kind in plain JavaScript, whose platform is this process: what it says and does is told by events. */
const PAGER = `
const reach = (name, ...values) => process.emit('pager ' + name, ...values)
const limits = { dialect: 'plain', max_length: 1000, length_unit: 'characters' }
const refuse = (reason) => { throw Object.assign(new Error('the pager says ' + reason), { reason }) }
const pager = {
  kind: 'pager',
  label: { en: 'Pager', zh: '寻呼机' },
  config_schema: {
    type: 'object',
    properties: {
      number: { type: 'string' },
      code: { type: 'string', writeOnly: true },
      refusal: { type: 'string' },
      volume: { type: 'integer', default: 3 },
    },
    required: ['number', 'code'],
    additionalProperties: false,
  },
  endpoints: { api: 'https://pager.example.org' },
  capabilities: { direct: limits, group: limits },
  identity: ({ number }) => number,
  async probe({ config, endpoints }) {
    reach('probed', config, endpoints)
    if (config.refusal) refuse(config.refusal)
  },
  async open({ config }, link) {
    if (config.refusal) refuse(config.refusal)
    reach('opened', config.number, link)
    return {
      async send(target, message) { reach('sent', config.number, target, message); return { id: message.key } },
      close() { reach('closed', config.number) },
    }
  },
  registration: {
    gives: 'channel',
    async begin() { return { qrcode_url: 'https://pager.example.org/scan', state: { device: 'd1' }, expires_in_seconds: 60, interval_seconds: 0 } },
    async poll(state) {
      const answer = { value: { status: 'waiting' } }
      reach('polled', state, answer)
      if (answer.error) throw answer.error
      return answer.value
    },
  },
}
export default { name: 'pager', summary: 'A pager', kernel: 1, setup: (host) => host.register('channel_kinds', pager) }
`
