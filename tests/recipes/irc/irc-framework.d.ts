/** The part of irc-framework that the example uses; the package has no types of its own. */
declare module 'irc-framework' {
  export interface Options {
    host: string
    port: number
    tls: boolean
    nick: string
    password: string
    auto_reconnect: boolean
  }

  export interface Events {
    registered: []
    close: []
    join: [event: { nick: string; channel: string }]
    pong: [event: { message: string }]
    'irc error': [event: { error: string; channel?: string; reason?: string }]
    privmsg: [
      event: { nick: string; target: string; message: string; time?: number; tags: Record<string, string> },
    ]
  }

  export class Client {
    readonly connected: boolean
    connect(options: Options): void
    join(channel: string): void
    say(target: string, text: string): void
    ping(message: string): void
    quit(message?: string): void
    on<Name extends keyof Events>(name: Name, listener: (...values: Events[Name]) => void): this
    off<Name extends keyof Events>(name: Name, listener: (...values: Events[Name]) => void): this
    once<Name extends keyof Events>(name: Name, listener: (...values: Events[Name]) => void): this
  }
}
