import { first } from './rowjet.mjs'
console.log(JSON.stringify(await first()))
