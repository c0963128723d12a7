import { definePlugin } from '#plugin-api'

export default definePlugin({
  name: 'console',
  summary: 'The web page for people',
  setup() {},
})
