import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const COMPRESSED = /\.(js|css|html|svg)$/

/** Writes `.gz` and `.br` beside every text file of the build, so that the server never compresses. */
function precompress(): Plugin {
  let out = ''
  return {
    name: 'precompress',
    apply: 'build',
    configResolved: (config) => void (out = join(config.root, config.build.outDir)),
    closeBundle() {
      for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
        const file = join(entry.parentPath, entry.name)
        if (!entry.isFile() || !COMPRESSED.test(file)) continue
        const text = readFileSync(file)
        writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }))
        const quality = { [constants.BROTLI_PARAM_QUALITY]: 11 }
        writeFileSync(`${file}.br`, brotliCompressSync(text, { params: quality }))
      }
    },
  }
}

const backend = process.env.BACKEND ?? 'http://127.0.0.1:8000'

export default defineConfig({
  plugins: [react(), tailwindcss(), precompress()],
  // Below which path it is served is known when it runs: the server writes the addresses of the page's first files.
  base: './',
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    // The content security policy allows neither data: URLs for scripts nor inline code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    // The notices that the licences of the bundled packages ask for in every copy.
    license: { fileName: 'licenses.md' },
    // Of the libraries only the chat needs, the largest comes beside it and not in it.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'marked', test: /node_modules\/marked\// }] } },
    },
  },
  worker: { format: 'es' },
  // The catalogue of sentences is beside this folder.
  server: { fs: { allow: ['..'] }, proxy: { '/api': { target: backend, ws: true } } },
  test: {
    // A test that needs a page says so in its first line: half of them do not, and a page costs half a second of CPU time.
    environment: 'node',
    pool: 'threads',
    setupFiles: ['src/test/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    // A limit for what hangs: on a busy machine a test of every prefix takes longer than the default of 5 s.
    testTimeout: 60_000,
  },
})
