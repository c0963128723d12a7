import { route } from './manifest.ts'
import { accountEvent } from './schemas.ts'

/** The routes of the plugin. */
export const eventRoutes = [
  route({
    method: 'GET',
    path: '/events',
    operation_id: 'streamEvents',
    summary: 'Stream what changes for your account',
    description:
      'Sends an event whenever one of your threads or projects, a saved prompt, an agent that you see, a channel of your agents, an approval or your usage changes, so that a page need not ask again and again. To continue after a cut, send `Last-Event-ID` within five minutes. Any other stream begins with `reset`, and so does what follows a gap, for instance if you read too slowly.',
    guard: 'user',
    stream: 'events',
    response: { 200: accountEvent },
    errors: ['LIMIT_REACHED'],
  }).handle(({ caller, headers, signal }, { feeds, limits }) => {
    limits.assertRoom('event_streams', feeds.countReaders(caller.id))
    return feeds.follow(caller.id, headers['last-event-id']?.toString(), signal)
  }),
]
