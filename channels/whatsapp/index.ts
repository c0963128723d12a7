import { type ChannelCapabilities, defineChannelKind } from '#plugin-api'
import { configSchema } from './config.ts'

const BOTH: ChannelCapabilities = {
  dialect: 'whatsapp',
  max_length: 4096,
  length_unit: 'characters',
  typing_ms: 20_000,
}

/** A number of the WhatsApp Business Platform (Cloud API), whose webhook calls the server. */
export default defineChannelKind({
  kind: 'whatsapp',
  label: { en: 'WhatsApp', zh: 'WhatsApp' },
  config_schema: configSchema,
  endpoints: { api: 'https://graph.facebook.com/v23.0' },
  // Groups take no interactive messages.
  capabilities: { direct: { ...BOTH, buttons: true }, group: BOTH },
  identity: ({ phone_number_id }) => phone_number_id,
  probe: async (settings, signal) => (await import('./api.ts')).identifyNumber(settings, signal),
  open: async (settings, link) => (await import('./connection.ts')).openWhatsApp(settings, link),
  hook: async (settings, inbox, request) =>
    (await import('./requests.ts')).handleRequest(settings, inbox, request),
})
