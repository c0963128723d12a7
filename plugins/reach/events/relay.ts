import type { Signals } from '../../operation/signals/signals.ts'
import type { Notices } from './notices.ts'

/** One call of a notice. */
type Notice = { [Name in keyof Notices]: { name: Name; about: Parameters<Notices[Name]>[0] } }[keyof Notices]

declare module '../../operation/signals/types.ts' {
  interface Facts {
    /** Accounts may have to be notified. */
    'events.notice': Notice
  }
}

/** Passes notices to every process, because an account may read its events from any of them. */
export type Relay = ReturnType<typeof createRelay>

/** Creates the relay. */
export function createRelay({ notices, signals }: { notices: Notices; signals: Signals }) {
  const notifyHere = ({ name, about }: Notice) => notices[name](about as never)
  return {
    pass<Name extends keyof Notices>(name: Name, about: Parameters<Notices[Name]>[0]): unknown {
      const notice = { name, about } as Notice
      signals.publish('events.notice', notice)
      return notifyHere(notice)
    },
    start(): void {
      signals.on('events.notice', notifyHere)
    },
  }
}
