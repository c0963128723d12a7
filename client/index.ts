export type { components, paths } from './api.ts'
export type { Chat, SubscribeOptions, TurnOptions } from './chat.ts'
export { type Client, type ClientOptions, createClient } from './client.ts'
export type { ConnectionOptions } from './connection.ts'
export type { SignIn } from './credentials.ts'
export { ChatError } from './errors.ts'
export type {
  ApprovalRequest,
  ClientFrame,
  Decision,
  InputBlock,
  SentFrame,
  ServerFrame,
  ThreadFrame,
  TurnFrame,
} from './frames.ts'
