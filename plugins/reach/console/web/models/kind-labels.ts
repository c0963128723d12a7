/** The words for the kinds of models, as labels of a choice. */
export const KIND_LABELS = {
  chat: 'models.for_chat',
  embedding: 'models.for_embedding',
  image: 'models.for_image',
  speech: 'models.for_speech',
  transcription: 'models.for_transcription',
  rerank: 'models.for_rerank',
} as const
