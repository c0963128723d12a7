export type { BenchSettings } from './agent-bench.ts'
export { type ChannelKindSubject, testChannelKind } from './channel-kind-suite.ts'
export { readChatRequest } from './chat-request.ts'
export { type ConsoleSlotSubject, testConsoleSlot } from './console-slot-suite.ts'
export { type DocumentReaderSubject, type TestDocument, testDocumentReader } from './document-reader-suite.ts'
export { createFakeCompatible } from './fake-compatible.ts'
export type { FakePlatform, Lack, Place, Saying, SentFile, ShownMessage } from './fake-platform.ts'
export type { ReadSearch, SearchRequest, SearchWire } from './fake-search-engine.ts'
export {
  type Exchange,
  type FakeVendor,
  type Refusal,
  startFakeVendor,
  type VendorReply,
  type VendorRequest,
} from './fake-vendor.ts'
export { type PluginSubject, testPlugin } from './plugin-suite.ts'
export type { ProviderKindSubject, ReadRequest } from './provider-bench.ts'
export { testProviderKind } from './provider-kind-suite.ts'
export { type SearchEngineSubject, testSearchEngine } from './search-engine-suite.ts'
export type { TestReply, TestServer, TestUser } from './server.ts'
export type { TestContext, TestFunction } from './test-function.ts'
export type { TestFrame, TestSocket } from './test-socket.ts'
export { eventually } from './waiting.ts'
