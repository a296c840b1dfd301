"""What Kubernetes knows and its JSON schema does not say: the roots to follow, closed sets of strings, and unions.

Read against Kubernetes 1.35. The generator refuses an entry whose definition or field the schema does not have.
"""

from collections.abc import Mapping

# The kinds that a serving stack may emit, and PodTemplateSpec, in whose form users write pod specs.
ROOTS: tuple[str, ...] = (
    *(
        f"io.k8s.api.core.v1.{kind}"
        for kind in (
            "ConfigMap",
            "Namespace",
            "PersistentVolumeClaim",
            "Pod",
            "PodTemplateSpec",
            "Secret",
            "Service",
            "ServiceAccount",
        )
    ),
    "io.k8s.api.apps.v1.Deployment",
    "io.k8s.api.apps.v1.StatefulSet",
    "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler",
    "io.k8s.api.batch.v1.Job",
    "io.k8s.api.networking.v1.Ingress",
    "io.k8s.api.networking.v1.NetworkPolicy",
    "io.k8s.api.policy.v1.PodDisruptionBudget",
    *(f"io.k8s.api.rbac.v1.{kind}" for kind in ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")),
    "io.k8s.api.resource.v1.ResourceClaimTemplate",
)

# Definitions of which at most one member may be set, each with its fields that are no members. The members are derived,
# so a volume source that a new version brings is in at once.
UNIONS: Mapping[str, frozenset[str]] = {
    "EnvVar": frozenset({"name"}),
    "EnvVarSource": frozenset(),
    "LifecycleHandler": frozenset(),
    "PodResourceClaim": frozenset({"name"}),
    "Probe": frozenset(
        {
            "failureThreshold",
            "initialDelaySeconds",
            "periodSeconds",
            "successThreshold",
            "terminationGracePeriodSeconds",
            "timeoutSeconds",
        }
    ),
    "Volume": frozenset({"name"}),
    "VolumeProjection": frozenset(),
}

_PROTOCOL = ("SCTP", "TCP", "UDP")
_PULL = ("Always", "IfNotPresent", "Never")
_PROFILE = ("Localhost", "RuntimeDefault", "Unconfined")
_TRAFFIC = ("Cluster", "Local")
_NODES = ("Honor", "Ignore")
_VOLUME_MODE = ("Block", "Filesystem")
_ACCESS = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_CONDITION = ("False", "True", "Unknown")
_RETENTION = ("Delete", "Retain")
_RBAC = ("rbac.authorization.k8s.io",)

# Closed sets of strings: of the field itself, or of the elements of a list. Only sets that no cluster can extend. "" is
# listed where Kubernetes documents it.
ENUMS: Mapping[str, tuple[str, ...]] = {
    # Pods
    "PodSpec.dnsPolicy": ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
    "PodSpec.preemptionPolicy": ("Never", "PreemptLowerPriority"),
    "PodSpec.restartPolicy": ("Always", "Never", "OnFailure"),
    "PodOS.name": ("linux", "windows"),
    "PodStatus.phase": ("Failed", "Pending", "Running", "Succeeded", "Unknown"),
    "PodCondition.status": _CONDITION,
    # Containers
    "Container.imagePullPolicy": _PULL,
    "Container.restartPolicy": ("Always", "Never", "OnFailure"),
    "Container.terminationMessagePolicy": ("FallbackToLogsOnError", "File"),
    "EphemeralContainer.imagePullPolicy": _PULL,
    "EphemeralContainer.terminationMessagePolicy": ("FallbackToLogsOnError", "File"),
    "ContainerPort.protocol": _PROTOCOL,
    "ContainerResizePolicy.resourceName": ("cpu", "memory"),
    "ContainerResizePolicy.restartPolicy": ("NotRequired", "RestartContainer"),
    "ContainerRestartRule.action": ("Restart", "RestartAllContainers"),
    "ContainerRestartRuleOnExitCodes.operator": ("In", "NotIn"),
    "HTTPGetAction.scheme": ("HTTP", "HTTPS"),
    # Security contexts
    "AppArmorProfile.type": _PROFILE,
    "PodSecurityContext.fsGroupChangePolicy": ("Always", "OnRootMismatch"),
    "PodSecurityContext.seLinuxChangePolicy": ("MountOption", "Recursive"),
    "PodSecurityContext.supplementalGroupsPolicy": ("Merge", "Strict"),
    "SeccompProfile.type": _PROFILE,
    "SecurityContext.procMount": ("Default", "Unmasked"),
    # Scheduling
    "LabelSelectorRequirement.operator": ("DoesNotExist", "Exists", "In", "NotIn"),
    "NodeSelectorRequirement.operator": ("DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"),
    "Toleration.effect": ("", "NoExecute", "NoSchedule", "PreferNoSchedule"),
    "Toleration.operator": ("", "Equal", "Exists", "Gt", "Lt"),
    "TopologySpreadConstraint.nodeAffinityPolicy": _NODES,
    "TopologySpreadConstraint.nodeTaintsPolicy": _NODES,
    "TopologySpreadConstraint.whenUnsatisfiable": ("DoNotSchedule", "ScheduleAnyway"),
    # Volumes and claims. Of media, the page sizes are those of all architectures.
    "EmptyDirVolumeSource.medium": (
        "",
        "HugePages",
        "HugePages-16Gi",
        "HugePages-16Mi",
        "HugePages-1Gi",
        "HugePages-1Mi",
        "HugePages-2Gi",
        "HugePages-2Mi",
        "HugePages-32Mi",
        "HugePages-512Mi",
        "HugePages-64Ki",
        "Memory",
    ),
    "HostPathVolumeSource.type": (
        "",
        "BlockDevice",
        "CharDevice",
        "Directory",
        "DirectoryOrCreate",
        "File",
        "FileOrCreate",
        "Socket",
    ),
    "ImageVolumeSource.pullPolicy": _PULL,
    "VolumeMount.mountPropagation": ("Bidirectional", "HostToContainer", "None"),
    "VolumeMount.recursiveReadOnly": ("Disabled", "Enabled", "IfPossible"),
    "PersistentVolumeClaimSpec.accessModes": _ACCESS,
    "PersistentVolumeClaimSpec.volumeMode": _VOLUME_MODE,
    "PersistentVolumeClaimStatus.phase": ("Bound", "Lost", "Pending"),
    # Services and networks
    "ServicePort.protocol": _PROTOCOL,
    "ServiceSpec.externalTrafficPolicy": _TRAFFIC,
    "ServiceSpec.internalTrafficPolicy": _TRAFFIC,
    "ServiceSpec.ipFamilies": ("IPv4", "IPv6"),
    "ServiceSpec.ipFamilyPolicy": ("PreferDualStack", "RequireDualStack", "SingleStack"),
    "ServiceSpec.sessionAffinity": ("ClientIP", "None"),
    "ServiceSpec.trafficDistribution": ("PreferClose", "PreferSameNode", "PreferSameZone"),
    "ServiceSpec.type": ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort"),
    "HTTPIngressPath.pathType": ("Exact", "ImplementationSpecific", "Prefix"),
    "NetworkPolicyPort.protocol": _PROTOCOL,
    "NetworkPolicySpec.policyTypes": ("Egress", "Ingress"),
    # Workloads
    "DeploymentStrategy.type": ("Recreate", "RollingUpdate"),
    "StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted": _RETENTION,
    "StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled": _RETENTION,
    "StatefulSetSpec.podManagementPolicy": ("OrderedReady", "Parallel"),
    "StatefulSetUpdateStrategy.type": ("OnDelete", "RollingUpdate"),
    "JobSpec.completionMode": ("Indexed", "NonIndexed"),
    "JobSpec.podReplacementPolicy": ("Failed", "TerminatingOrFailed"),
    "PodFailurePolicyOnExitCodesRequirement.operator": ("In", "NotIn"),
    "PodFailurePolicyRule.action": ("Count", "FailIndex", "FailJob", "Ignore"),
    # Autoscaling and disruption
    "HPAScalingPolicy.type": ("Percent", "Pods"),
    "HPAScalingRules.selectPolicy": ("Disabled", "Max", "Min"),
    "MetricSpec.type": ("ContainerResource", "External", "Object", "Pods", "Resource"),
    "MetricTarget.type": ("AverageValue", "Utilization", "Value"),
    "PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy": ("AlwaysAllow", "IfHealthyBudget"),
    # Access and devices
    "RoleRef.apiGroup": _RBAC,
    "RoleRef.kind": ("ClusterRole", "Role"),
    "Subject.kind": ("Group", "ServiceAccount", "User"),
    "DeviceToleration.effect": ("", "NoExecute", "NoSchedule"),
    "DeviceToleration.operator": ("Equal", "Exists"),
    "ExactDeviceRequest.allocationMode": ("All", "ExactCount"),
}
