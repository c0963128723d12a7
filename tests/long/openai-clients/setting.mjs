// The server that the scripts use, the tools that they offer, and what the model behind the server answers.

import { z } from 'zod'

export const baseURL = process.env.BASE
export const apiKey = process.env.TOKEN
export const MODEL = 'assistant'

export const GREETING = 'Hello there.'
export const FORECAST = 'It is sunny.'
export const ASK_ONE_CITY = 'How is the weather?'
export const ASK_TWO_CITIES = 'How is the weather in two cities?'

export const citySchema = z.object({ city: z.string() })
export const cityWeatherSchema = z.object({ city: z.string(), degrees: z.number() })
export const OSLO = { city: 'Oslo', degrees: 12 }

export const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
