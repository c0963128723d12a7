import { writeFileSync } from 'node:fs'
import { API_REPORT, describeApi } from './api-report.ts'

// `npm run api-report`: brings the text that reviewers read up to date.
writeFileSync(API_REPORT, describeApi())
