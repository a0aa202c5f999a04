// deliver.mjs URL COUNT FOLDER: stores COUNT events in a BullMQ queue, on a redis-server that syncs each write to the disk, and
// delivers each as a signed POST. Prints the processor time of both per delivery, in us, and the deliveries per second.
import {spawn} from 'node:child_process';
import {createHmac} from 'node:crypto';
import http from 'node:http';
import {connect, createServer} from 'node:net';
import {Queue, Worker} from 'bullmq';

const [url, count, folder] = [process.argv[2], Number(process.argv[3]), process.argv[4]];
const secret = 'a-secret-of-the-bench';
const port = await new Promise((take) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const free = probe.address().port;
    probe.close(() => take(free));
  });
});
const redis = spawn('redis-server', ['--port', port, '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes',
  '--appendfsync', 'always', '--save', ''], {stdio: 'ignore'});
async function isOpen() {
  return new Promise((take) => {
    const client = connect(port, '127.0.0.1', () => take(client.destroy() && true));
    client.on('error', () => take(false));
  });
}
while (!(await isOpen())) await new Promise((again) => setTimeout(again, 20)); // the bench limits the time
const connection = {host: '127.0.0.1', port, maxRetriesPerRequest: null};
const agent = new http.Agent({keepAlive: true, maxSockets: 32});

function post(body, id) {
  return new Promise((done, failed) => {
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'X-Platform-Delivery-Id': id,
      'X-Platform-Signature': 'sha256=' + createHmac('sha256', secret).update(body).digest('hex'),
    };
    const request = http.request(url, {method: 'POST', agent, headers}, (answer) => {
      answer.resume();
      answer.on('end', () => (answer.statusCode < 300 ? done() : failed(new Error(`${answer.statusCode}`))));
    });
    request.on('error', failed);
    request.end(body);
  });
}

const queue = new Queue('deliveries', {connection});
await queue.waitUntilReady();
const client = await queue.client;
async function redisUs() {
  const text = await client.info('cpu');
  const seconds = (name) => Number(new RegExp(`^${name}:([0-9.]+)`, 'm').exec(text)[1]);
  return 1e6 * (seconds('used_cpu_sys') + seconds('used_cpu_user'));
}

async function run(jobs) {
  let left = jobs;
  let finished;
  const all = new Promise((resolve) => (finished = resolve));
  const worker = new Worker('deliveries', (job) => post(job.data.body, job.id), {connection, concurrency: 32});
  worker.on('completed', () => --left === 0 && finished());
  const adding = [];
  for (let i = 0; i < jobs; ++i) {
    const body = JSON.stringify({event: 'call.ended', tenant: 'bench.example', ts: new Date().toISOString(), data: {t: i}});
    adding.push(queue.add('deliver', {body}, {attempts: 4, removeOnComplete: true, backoff: {type: 'fixed', delay: 5000}}));
  }
  await Promise.all(adding);
  await all;
  await worker.close();
}

await run(Math.min(200, count));
const before = {node: process.cpuUsage(), redis: await redisUs(), at: performance.now()};
await run(count);
const node = process.cpuUsage(before.node);
const us = (node.user + node.system + (await redisUs()) - before.redis) / count;
console.log(`${us} ${(count * 1000) / (performance.now() - before.at)}`);
await queue.close();
redis.kill();
process.exit(0);
