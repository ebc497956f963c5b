// A Docker engine of the tests' own: dockerd started by hand with its own root, socket and bridge of
// the default name, and an image of busybox. Ended, and all its files removed, by stop().
import { spawn } from 'node:child_process';
import { access, constants, cp, mkdir, mkdtemp, open, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { output, until } from './support.mjs';

export const IMAGE = 'gibbous/busybox';
const BUSYBOX = '/bin/busybox';
const APPLETS = ['sh', 'cat', 'mv', 'od', 'stty', 'echo', 'env', 'head', 'httpd', 'id', 'kill', 'nc', 'ps', 'sleep',
  'tail', 'touch', 'true', 'false', 'yes', 'seq'];
const START_MS = 40_000;

async function found(file) {
  return access(file, constants.X_OK).then(() => true, () => false);
}

/** Why no engine can be tried here, or nothing. */
async function obstacle() {
  if (process.getuid() !== 0) return 'dockerd needs root';
  if (!await found('/usr/sbin/dockerd')) return 'there is no dockerd (Debian: docker.io)';
  if (!await found(BUSYBOX)) return 'there is no busybox (Debian: busybox-static)';
  return undefined;
}

/** Writes a small image below a directory; gives the archive. */
export async function writeImage(root) {
  const image = path.join(root, 'image');
  const bin = path.join(image, 'bin');
  await mkdir(bin, { recursive: true });
  await mkdir(path.join(image, 'tmp'));
  await cp(BUSYBOX, path.join(bin, 'busybox'), { dereference: true });
  for (const name of APPLETS) await symlink('busybox', path.join(bin, name));
  const archive = path.join(root, 'image.tar');
  await output('tar', ['-C', image, '-cf', archive, '.']);
  return archive;
}

export class Engine {
  /** An engine, or { reason } when this machine cannot have one. */
  static async start() {
    const reason = await obstacle();
    if (reason) return { reason };
    const engine = new Engine(await mkdtemp(path.join(tmpdir(), 'gibbous-docker-')));
    try {
      await engine.serve();
      await engine.importImage();
      return engine;
    } catch (problem) {
      const log = await readFile(engine.log, 'utf8').catch(() => '');
      await engine.stop();
      return { reason: `${problem.message}\n${log.split('\n').slice(-5).join('\n')}` };
    }
  }

  constructor(root) {
    this.root = root;
    this.host = `unix://${root}/docker.sock`;
    this.log = path.join(root, 'dockerd.log');
  }

  async serve() {
    const log = await open(this.log, 'w');
    this.daemon = spawn('/usr/sbin/dockerd', ['--data-root', `${this.root}/data`, '--exec-root',
      `${this.root}/exec`, '--pidfile', `${this.root}/pid`, '--host', this.host,
      '--storage-driver', 'vfs'], { stdio: ['ignore', log.fd, log.fd] });
    this.ended = new Promise((resolve) => this.daemon.once('exit', resolve));
    await log.close();
    await until('dockerd answers', async () => {
      if (this.daemon.exitCode !== null) throw new Error('dockerd ended at once');
      return this.docker('version').then(() => true, () => false);
    }, START_MS);
  }

  async importImage() {
    await this.docker('import', await writeImage(this.root), IMAGE);
  }

  async docker(...args) {
    const { stdout } = await output('docker', ['--host', this.host, ...args]);
    return stdout.trim();
  }

  /** Names of all containers, also of those that have ended. */
  async containers() {
    const text = await this.docker('ps', '--all', '--format', '{{.Names}}');
    return text === '' ? [] : text.split('\n');
  }

  async stop() {
    if (this.daemon) {
      this.daemon.kill('SIGTERM');
      await this.ended;
    }
    // What dockerd leaves mounted of a container with the network of the host.
    await output('umount', [`${this.root}/exec/netns/default`]).catch(() => {});
    await rm(this.root, { recursive: true, force: true, maxRetries: 10 });
  }
}
