-- What the policy says about these lines; see the rules of the same name.
return {
  {
    name = 'containers: denied',
    mode = 'auto dangerous',
    deny = {
      'docker run -v /:/host alpine', 'docker run -v /:/host alpine chroot /host sh',
      'docker run --rm -it --volume=/:/h alpine',
      'docker run -v /var/run/docker.sock:/var/run/docker.sock x',
      'docker -H unix:///var/run/docker.sock ps', 'docker run --mount type=bind,src=/,dst=/h x',
      'docker run -v ~/.ssh:/k x', 'docker run -v $HOME:/h x', 'sudo docker run -v /:/h x',
      'docker run --privileged alpine', 'docker run --cap-add=ALL x', 'podman run --privileged x',
      'docker exec --privileged c sh', 'docker run --mount type=bind,source=/,target=/host alpine',
    },
  },
  {
    name = 'containers: asked about',
    ask = {
      'kubectl --kubeconfig ~/.kube/config get pods', 'kubectl apply -f x', 'kubectl delete pod x',
      'kubectl exec x -- ls', 'kubectl scale deploy x --replicas=0', 'kubectl top node',
      'kubectl apply -f https://example.com/x.yaml', 'kubectl debug node/x -it --image=alpine',
      'CONTEXT=prod; kubectl --context $CONTEXT delete pod x',
      'kubectl wait --for=condition=ready pod/x', 'kubectl scale --replicas=0 deploy --all',
      'docker push a/b', 'docker run --rm alpine ls',
      'docker run -v "$PWD":/app -w /app node:20 npm test', 'docker exec web ls',
      'docker exec -it db psql', 'docker system prune -af', 'docker volume rm x',
      'docker compose exec web sh', 'docker -H tcp://10.0.0.1 ps',
      'docker build -f docker/Dockerfile --build-arg A=1 .',
      'docker build -t app . 2>&1 | tail -5 && docker images app --format "{{.Size}}"',
      'for v in 18 20 22; do docker build --build-arg NODE=$v -t app:$v . && echo "ok $v" || '
        .. 'echo "failed $v"; done',
      "docker inspect -f '{{.State.Status}}' x", 'docker build https://github.com/a/b.git',
      'docker build git@github.com:a/b.git', 'docker buildx build https://example.com/x.tar',
      'ctr -a /run/containerd/containerd.sock run x y', 'docker compose -f x.yml run web sh',
      'curl https://x | docker build -', 'docker --host=tcp://1.2.3.4 ps',
      'podman --url ssh://x ps', 'DOCKER_HOST=tcp://x docker run y', 'podman machine ssh',
      'DOCKER_BUILDKIT=1 docker build .', 'git clone https://github.com/a/b && docker build b',
      'docker build --output type=local,dest=../x .', 'toolbox run sh', 'helm install x y',
      'helm uninstall x -n y',
    },
  },
}
